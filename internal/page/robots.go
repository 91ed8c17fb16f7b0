package page

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/internal/origin"
)

const (
	// maxLines is how many lines of a robots.txt a page shows, and around how many lines of each that matters.
	maxLines, around = 250, 2
	maxLine          = 300 // characters
)

// robotsView is the robots.txt of an origin as it was read, with what concerns us marked.
type robotsView struct {
	Origin string
	URL    string // where it was found
	Whole  string // a link to all of its text; empty: there is none
	Class  string
	Told   string // what came when it was asked for, in a sentence
	Read   string
	Until  countdown // what is known counts till then
	Group  string    // whose rules count, in a sentence
	Marks  bool      // a URL was asked about
	Size   int64
	Lines  []robotsLine
	Total  int // lines
	Shown  int
}

// robotsLine is a line of it, or lines that are left out.
type robotsLine struct {
	Number  int
	Text    string
	Ours    bool // it stands in a group that we are judged by
	Matches bool // it is a rule that matches the URL that was asked about
	Decides bool // and the one that decides
	LeftOut int  // so many lines stand here
}

// Mark is what there is to say of a line, for who does not see colours.
func (l robotsLine) Mark() string {
	switch {
	case l.Decides:
		return "decides"
	case l.Matches:
		return "matches"
	case l.Ours:
		return "ours"
	}
	return ""
}

// robotsOfOrigin shows what is known; decided says that it was asked for a URL whose rules are to be marked.
func robotsOfOrigin(k *collyrobots.Known, decided bool, now time.Time) *robotsView {
	d := &k.Decision
	v := &robotsView{Origin: short(d.Origin, 300), Class: string(d.Class), Until: count(d.ExpiresAt, now)}
	f := k.Entry.Failure
	if v.Class == "" { // robots.txt itself was asked about, which needs none
		if v.Class = string(collyrobots.ClassRules); k.Entry.Copy == nil {
			v.Class = string(f.Class)
		}
	}
	if f != nil && d.Class != collyrobots.ClassRules {
		v.Told, v.Read = short(f.Cause, 300), clock(f.At, now)
	}
	c := k.Entry.Copy
	if c == nil {
		return v
	}
	if v.Read == "" {
		v.Read = clock(c.FetchedAt, now)
	}
	v.URL, v.Size = short(c.URL, 300), int64(len(c.Body))
	v.Whole = "robots?origin=" + url.QueryEscape(d.Origin)
	if c.HTML {
		v.Told = "it looks like a page and not like rules"
	}
	e := k.Explain()
	v.Group = groupOf(e.Group, short(d.ProductToken, 64))
	v.Marks = decided
	if !decided {
		e.Rules, e.Match = nil, collyrobots.Match{}
	}
	v.Lines, v.Total, v.Shown = marked(c.Body, &e)
	return v
}

func groupOf(group, token string) string {
	switch {
	case group == "named":
		return "Our rules are those for " + token
	case group == "*" && token == "*":
		return "We have no name that it could address, so the rules for everybody (*) are ours"
	case group == "*":
		return "No group names " + token + ", so the rules for everybody (*) are ours"
	}
	return "No group is for " + token + " or for everybody, so all is allowed"
}

// marked are the lines that a page shows: all of them, or if there are too many, what concerns us, and as much of the rest as there is room for.
func marked(body []byte, e *collyrobots.Explanation) (lines []robotsLine, total, shown int) {
	matches := make(map[int]bool)
	for _, r := range e.Rules {
		matches[r.Line] = matches[r.Line] || r.Decides
	}
	if e.Match.Line > 0 {
		matches[e.Match.Line] = true
	}
	for n, text := range collyrobots.Lines(body) {
		if text != "" {
			total = n // empty lines at the end are not shown
		}
	}
	show := chosen(total, matches, e.Groups)
	groups := e.Groups
	for n, text := range collyrobots.Lines(body) {
		if n > total {
			break
		}
		for len(groups) > 0 && n > groups[0].Last {
			groups = groups[1:]
		}
		if !show[n] {
			if last := len(lines) - 1; last >= 0 && lines[last].LeftOut > 0 {
				lines[last].LeftOut++
			} else {
				lines = append(lines, robotsLine{LeftOut: 1})
			}
			continue
		}
		decides, is := matches[n]
		lines = append(lines, robotsLine{
			Number: n, Text: short(text, maxLine), Matches: is, Decides: decides, Ours: len(groups) > 0 && n >= groups[0].First,
		})
		shown++
	}
	return lines, total, shown
}

// chosen are the lines to be shown, maxLines at most: those of rules that match with what stands around them, the one that decides first; then our groups,
// then the beginning.
func chosen(total int, matches map[int]bool, groups []collyrobots.GroupLines) map[int]bool {
	show := make(map[int]bool)
	add := func(from, to int) {
		for n := max(from, 1); n <= min(to, total) && len(show) < maxLines; n++ {
			show[n] = true
		}
	}
	for n, decides := range matches {
		if decides {
			add(n-around, n+around)
		}
	}
	for _, g := range groups {
		add(g.First, g.First) // whose it is
	}
	for n := range matches {
		add(n-around, n+around)
	}
	for _, g := range groups {
		add(g.First, g.Last)
	}
	add(1, total)
	return show
}

// getRobots is a robots.txt whole, as text.
func (h *handler) getRobots(w http.ResponseWriter, r *http.Request) {
	k, ok := h.crawl.Robots.Known(cut(r.URL.Query().Get("origin"), 1000))
	if !ok || k.Entry.Copy == nil {
		h.problem(w, http.StatusNotFound, "No robots.txt of that origin is known.")
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "sandbox; default-src 'none'; frame-ancestors 'none'") // it is a stranger's text
	_, _ = w.Write([]byte(strings.ToValidUTF8(string(k.Entry.Copy.Body), "\uFFFD")))
}

// originsOf shows the robots.txt of each origin of a host that is known, a few of them.
func (h *handler) originsOf(host string, now time.Time) (all []*robotsView, more int) {
	const most = 4
	known := h.crawl.Robots.KnownOrigins(host)
	for _, o := range known[:min(len(known), most)] {
		if k, ok := h.crawl.Robots.Known(o + "/"); ok {
			all = append(all, robotsOfOrigin(&k, false, now))
		}
	}
	return all, max(len(known)-most, 0)
}

// usable is the host key of what somebody typed, a name or a URL.
func usable(text string) (key string, ok bool) {
	text = strings.TrimSpace(text)
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		text = u.Host
	}
	key, err := origin.HostKeyOf(text)
	return key, err == nil && key != ""
}
