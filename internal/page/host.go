package page

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/report"
)

// How much a host's page shows. What is left out is said.
const (
	hostSkips  = 15
	hostCounts = 15
	hostHolds  = 10
	hostNotes  = 30
)

// hostView is one host.
type hostView struct {
	frame
	Name    string
	State   state
	Unknown bool // nothing happened to it yet
	Busy    bool // the next request waits for one that is under way
	Why     string
	Until   countdown // of what holds it back; its Left is empty if a person must end it
	Held    bool
	Next    countdown
	Facts   []fact

	Rules     []ruleView
	MoreRules int
	Form      stopForm

	Counts     []countView
	MoreCounts int
	Skips      []skipView
	MoreSkips  int
	Notes      []string
	Holds      []string

	Robots     []*robotsView
	MoreRobots int
	Ask        string // a URL to begin with
}

type fact struct{ Name, Text string }

type countView struct {
	N      int
	Reason string
	Rule   string
	Line   int
}

func (h *handler) getHost(w http.ResponseWriter, r *http.Request) {
	key, ok := usable(r.URL.Query().Get("name"))
	if !ok {
		h.problem(w, http.StatusBadRequest, "That is no name of a host.")
		return
	}
	host, known := h.crawl.Report.Host(key)
	if !known {
		host.Host = key
		if rule, is := h.crawl.KillSwitch.Check(&url.URL{Scheme: "https", Host: inURL(key), Path: "/"}); is {
			host.Held = report.Hold{Reason: report.Stopped, Until: rule.Until, Detail: rule.Reason}
		}
	}
	f := h.frame("host", key)
	v := hostView{
		frame: f, Name: short(key, 253), State: stateOf(&host), Unknown: !known, Busy: host.InFlight > 0 && host.Waiting > 0, Held: host.Held.Reason != "", Why: whyHeld(&host),
		Until: count(host.Held.Until, f.Now), Next: count(nextStart(&host), f.Now), Facts: factsOf(&host, f.Now),
		Form: stopForm{frame: f, Scope: "host", Name: key}, Ask: "https://" + inURL(key) + "/",
	}
	v.Rules, v.MoreRules = h.rulesOf(key, f)
	for _, s := range host.Skips[:min(len(host.Skips), hostCounts)] {
		v.Counts = append(v.Counts, countView{s.Count, string(s.Reason), short(s.Rule, 200), s.Line})
	}
	v.MoreCounts = len(host.Skips) - len(v.Counts)
	v.Skips, v.MoreSkips = h.skipsOf(key, f.Now)
	v.Notes, v.Holds = notesOf(&host), holdsOf(&host, f.Now)
	if v.Robots, v.MoreRobots = h.originsOf(key, f.Now); len(v.Robots) > 0 {
		v.Ask = v.Robots[0].Origin + "/"
	}
	h.show(w, http.StatusOK, "host", v)
}

// inURL is a host key as it stands in a URL.
func inURL(key string) string {
	for i := range len(key) {
		if key[i] == ':' {
			return "[" + key + "]"
		}
	}
	return key
}

func factsOf(h *report.Host, now time.Time) []fact {
	var facts []fact
	add := func(name, text string) {
		if text != "" {
			facts = append(facts, fact{name, text})
		}
	}
	p := paceOf(h)
	if p.Source != "" {
		p.Interval += ", " + p.Source
	}
	add("Interval", p.Interval)
	if h.Gaps > 0 {
		add("Smallest gap kept", span(h.SmallestGap))
	}
	add("Waiting", number(h.Waiting))
	if h.Waiting > 1 && h.ETA.After(now) {
		add("Last of them starts", "about "+clock(h.ETA, now))
	}
	add("Under way", number(h.InFlight))
	add("Sent", number(h.Requests))
	if h.Measured > 0 {
		s := sums{Measured: h.Measured, Broken: h.Broken}
		add("Promises", s.verdict())
	}
	add("Answers", answers(&h.Answers))
	add("Received", byteSize(h.Bytes))
	add("Not sent", number(h.Skipped))
	if !h.Last.IsZero() {
		add("Last seen", clock(h.Last, now))
	}
	return facts
}

func answers(a *report.Answers) string {
	text := ""
	for _, x := range []struct {
		n    int
		name string
	}{{a.OK, "2xx"}, {a.Redirects, "3xx"}, {a.ClientErrors, "4xx"}, {a.ServerErrors, "5xx"}, {a.Other, "other"}, {a.Failed, "none"}} {
		if x.n > 0 {
			text += ", " + number(x.n) + " × " + x.name
		}
	}
	if text == "" {
		return ""
	}
	return text[2:]
}

// notesOf are what else there is to say of a host.
func notesOf(h *report.Host) []string {
	var notes []string
	if h.WithoutRules != "" {
		notes = append(notes, "crawled without rules: "+h.WithoutRules)
	}
	if h.BrowserLike {
		notes = append(notes, "gets a User-Agent like a browser's")
	}
	for _, s := range h.Signals {
		notes = append(notes, "signal: "+s)
	}
	notes = append(notes, h.Notes...)
	if n := len(notes) - hostNotes; n > 0 {
		notes = append(notes[:hostNotes], "and "+number(n)+" more")
	}
	for i := range notes {
		notes[i] = short(notes[i], 400)
	}
	return notes
}

// holdsOf are the times in which the host was left alone, the latest first.
func holdsOf(h *report.Host, now time.Time) []string {
	var out []string
	for _, hold := range slices.Backward(h.Holds) {
		if len(out) == hostHolds {
			break
		}
		text := clock(hold.From, now)
		if !hold.Until.IsZero() {
			text += " to " + clock(hold.Until, now)
		}
		text += ": " + string(stateOf(&report.Host{Held: hold}))
		if w := why(&hold); w != "" {
			text += ", " + w
		}
		out = append(out, short(text, 300))
	}
	return out
}

// rulesOf are the rules of the kill switch that concern a host, wholly or in part.
func (h *handler) rulesOf(key string, f frame) (views []ruleView, more int) {
	for _, rule := range h.crawl.KillSwitch.Rules() {
		if !concerns(&rule, key) {
			continue
		}
		if len(views) == 10 {
			more++
			continue
		}
		views = append(views, h.ruleView(rule, f))
	}
	return views, more
}

func concerns(r *killswitch.Rule, key string) bool {
	return r.All || r.Host == key || r.Domain != "" && (r.Domain == key || len(key) > len(r.Domain) && key[len(key)-len(r.Domain)-1:] == "."+r.Domain)
}
