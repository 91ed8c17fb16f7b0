package report

import (
	"bufio"
	_ "embed"
	"html/template"
	"io"
	"time"
)

// How much a page shows. What is left out is said.
const (
	htmlCards  = 100
	htmlRows   = 1000
	htmlRules  = 50
	htmlSkips  = 10
	htmlHolds  = 5
	htmlBroken = 100
)

//go:embed page.html
var pageText string

// pageTemplate is parsed when a page is written, so that a program that writes none neither pays for it nor links it.
func pageTemplate() (*template.Template, error) {
	return template.New("report").Funcs(template.FuncMap{"number": number}).Parse(pageText)
}

// WriteHTML writes the report as one page that needs nothing else: no script, no font, no picture from outside. Each host has a drawing of its latest requests against
// what was promised, its skips by rule, blocks and stops; the 100 worst and busiest do, further ones stand in a list of up to 1,000. It can be read on a
// phone, printed, and in the dark. Texts from strangers are shown as texts. The error is w's.
func (r *Report) WriteHTML(w io.Writer) error {
	t, err := pageTemplate()
	if err != nil {
		return err
	}
	p := r.page()
	view := pageView{Scope: scope, Verdict: p.verdict(), Facts: p.facts(), Bad: p.Broken != nil, Began: p.Summary.Began.Format("2 January 2006, 15:04:05 MST"),
		Read: clock(p.Summary.Read, p.Summary.Began), Took: span(p.Summary.Read.Sub(p.Summary.Began))}
	if p.Broken != nil {
		for _, b := range p.Broken.Breaches[:min(len(p.Broken.Breaches), htmlBroken)] {
			view.Breaches = append(view.Breaches, b.String())
		}
		view.MoreBreaches = p.Broken.Broken - len(view.Breaches)
	}
	for _, x := range p.Rules[:min(len(p.Rules), htmlRules)] {
		view.Rules = append(view.Rules, ruleView{clean(string(x.Reason)), x.Reason.plain(), clean(x.Rule), 0, x.N})
	}
	view.MoreRules = max(len(p.Rules)-htmlRules, 0)
	for i := range p.Hosts[:min(len(p.Hosts), htmlCards)] {
		view.Cards = append(view.Cards, r.card(&p.Hosts[i], p.Now))
	}
	if len(p.Hosts) > htmlCards {
		rest := p.Hosts[htmlCards:]
		for i := range rest[:min(len(rest), htmlRows)] {
			view.Rows = append(view.Rows, row(&rest[i], p.Now))
		}
		view.MoreHosts = max(len(rest)-htmlRows, 0)
	}
	b := bufio.NewWriter(w)
	if err := t.Execute(b, view); err != nil {
		return err
	}
	return b.Flush()
}

// pageView is what the template shows.
type pageView struct {
	Scope, Verdict, Began, Read, Took  string
	Bad                                bool
	Facts                              []fact
	Breaches                           []string
	Rules                              []ruleView
	Cards                              []hostView
	Rows                               []hostView
	MoreBreaches, MoreRules, MoreHosts int
}

type ruleView struct {
	Reason string
	Plain  string
	Rule   string
	Line   int
	N      int
}

type hostView struct {
	Name      string
	Remarks   []remark
	Facts     []fact
	Drawing   *drawing
	Requests  int
	Promised  string
	Gap       string
	Skips     []ruleView
	MoreSkips int
	Holds     []string
}

// row is a host in the list.
func row(h *Host, now time.Time) hostView {
	return hostView{Name: clean(h.Host), Requests: h.Requests, Promised: h.promised(), Gap: h.gap(h.SmallestGap), Remarks: h.remarks(now)}
}

// card is a host with all that is known of it.
func (r *Report) card(h *Host, now time.Time) hostView {
	v := row(h, now)
	add := func(name, text string) {
		if text != "" {
			v.Facts = append(v.Facts, fact{name, text})
		}
	}
	add("Requests", number(h.Requests))
	add("Promised gap", v.Promised)
	add("Smallest kept", v.Gap)
	add("Median kept", h.gap(h.MedianGap))
	add("robots.txt", h.robots(now))
	add("Received", byteSize(h.Bytes))
	if h.Skipped > 0 {
		add("Skipped", number(h.Skipped))
	}
	v.Drawing = draw(r.marks(h.Host), h.Requests, h.Holds, r.table(), now)
	for _, s := range h.Skips[:min(len(h.Skips), htmlSkips)] {
		v.Skips = append(v.Skips, ruleView{clean(string(s.Reason)), s.Reason.plain(), clean(s.Rule), s.Line, s.Count})
	}
	v.MoreSkips = len(h.Skips) - len(v.Skips)
	for i := len(h.Holds) - 1; i >= 0 && len(v.Holds) < htmlHolds; i-- {
		if h.Holds[i] != h.Held {
			v.Holds = append(v.Holds, clean(h.Holds[i].history(now)))
		}
	}
	return v
}

// marks are the host's requests for the drawing.
func (r *Report) marks(host string) []mark {
	s := r.table().shard(host)
	s.mu.Lock()
	defer s.mu.Unlock()
	if tl := s.hosts[host]; tl != nil {
		return tl.strip.all()
	}
	return nil
}
