package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/report"
	"github.com/collyetiquette/etiquette/throttle"
)

const (
	maxURL    = 2000 // octets
	maxRules  = 30
	fetchTime = 30 * time.Second
)

// askView answers "may I fetch this URL, and why?"
type askView struct {
	frame
	URL      string // as it is asked about
	Bad      string // why it is none
	Kind     string // "good", "bad", "held" or "unknown"
	Verdict  string
	Steps    []step
	Fetch    string // what the button that reads robots.txt says; empty: there is none
	Fetching string // why the last press of it led to nothing

	Rules     []collyrobots.MatchedRule
	MoreRules int
	Robots    *robotsView
	Signals   []signalView
	Host      string
}

// step is what one part says.
type step struct {
	Part string
	Text string
	Kind string // as askView.Kind
	At   countdown
}

// robotsPart is the part that says why a URL is allowed.
const robotsPart = "robots.txt"

type signalView struct {
	Use, Verdict string
	Sources      []string
}

// getAsk answers from memory: neither the page nor its robots.txt is fetched.
func (h *handler) getAsk(w http.ResponseWriter, r *http.Request) {
	text := strings.TrimSpace(r.URL.Query().Get("url"))
	v := askView{frame: h.frame("ask", "May I fetch this?"), URL: text}
	status := http.StatusOK
	if text != "" {
		if u, err := h.urlOf(text); err != nil {
			v.URL, v.Bad, status = short(text, maxURL), short(err.Error(), 300), http.StatusBadRequest
		} else {
			h.answer(&v, u, nil)
		}
	}
	h.show(w, status, "ask", v)
}

// postFetch has the robots.txt of a URL read, if it is not known, and answers. It is a request like any other: under our name, in its turn, and not if
// the host is stopped. The page itself is not fetched.
func (h *handler) postFetch(w http.ResponseWriter, r *http.Request) {
	v := askView{frame: h.frame("ask", "May I fetch this?"), URL: r.PostFormValue("url")}
	u, err := h.urlOf(v.URL)
	if err != nil {
		v.URL, v.Bad = short(v.URL, maxURL), short(err.Error(), 300)
		h.show(w, http.StatusBadRequest, "ask", v)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), fetchTime)
	defer cancel()
	d, err := h.crawl.Robots.Check(ctx, u.String())
	v.Live, v.Now = 0, time.Now() // it is the answer to a form, and took its time
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		v.Fetching = fmt.Sprintf("It is not its turn yet, or the site takes its time: no answer within %s. Ask again in a while.", left(fetchTime))
	case err != nil:
		v.Fetching = short(err.Error(), 300)
	}
	h.answer(&v, u, &d)
	h.show(w, http.StatusOK, "ask", v)
}

// urlOf is the URL that somebody typed. Without a scheme it is the one under which the crawl knows the host, else https.
func (h *handler) urlOf(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxURL {
		return nil, fmt.Errorf("it is longer than %d octets", maxURL)
	}
	if !strings.Contains(text, "://") {
		if authority, _, _ := strings.Cut(text, "/"); strings.Contains(authority, "@") { // an address for mail, say
			return nil, errors.New("it must be an absolute http or https URL")
		}
		scheme := "https://"
		if _, secure := h.crawl.Robots.Known("https://" + text); !secure {
			if _, plain := h.crawl.Robots.Known("http://" + text); plain {
				scheme = "http://"
			}
		}
		text = scheme + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("it is not a URL")
	}
	if _, err := origin.Of(u); err != nil {
		return nil, errors.New("it must be an absolute http or https URL")
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	return u, nil
}

// answer fills in all that is known of u. checked is what Check said just now; nil: it was not asked.
func (h *handler) answer(v *askView, u *url.URL, checked *collyrobots.Decision) {
	v.URL, v.Host = u.String(), u.Host
	if key, err := origin.HostKey(u); err == nil {
		v.Host = key
	}
	k, known := h.crawl.Robots.Known(v.URL)
	switch {
	case known:
		v.Robots = robotsOfOrigin(&k, true, v.Now)
		e := k.Explain()
		v.Rules = e.Rules[:min(len(e.Rules), maxRules)]
		v.MoreRules = len(e.Rules) - len(v.Rules)
		v.Signals = signalsOf(&k.Signals)
		if !k.Decision.ExpiresAt.After(v.Now) {
			v.Fetch = "Read it again"
		}
	default:
		v.Fetch = "Read its robots.txt now"
	}
	robots := h.robotsStep(&k.Decision, known, checked, v.Now)
	v.Steps = []step{h.stopStep(u, v.Now), robots, h.paceStep(u, &k.Decision, known, v.Now), {Part: "Name", Text: "it would go out as " + v.UserAgent, Kind: "good"}}
	v.Kind, v.Verdict = verdictOf(v.Steps)
}

// verdictOf sums up: the worst that a part says.
func verdictOf(steps []step) (kind, text string) {
	said := make(map[string]step)
	for _, s := range steps {
		if _, is := said[s.Kind]; !is {
			said[s.Kind] = s
		}
	}
	for _, x := range []struct{ kind, text string }{
		{"bad", "No: "}, {"held", "Not now: "}, {"unknown", "Not known: "},
	} {
		if s, is := said[x.kind]; is {
			return x.kind, x.text + s.Text
		}
	}
	for _, s := range steps {
		if s.Part == robotsPart {
			return "good", "Yes: " + s.Text
		}
	}
	return "good", "Yes"
}

func (h *handler) stopStep(u *url.URL, now time.Time) step {
	rule, stopped := h.crawl.KillSwitch.Check(u)
	if !stopped {
		return step{Part: "Kill switch", Text: "nothing stops it", Kind: "good"}
	}
	text := "stopped by " + rule.ID + " (" + short(rule.Scope(), 200) + ")"
	if rule.Reason != "" {
		text += ": " + short(rule.Reason, 300)
	}
	return step{"Kill switch", text, "bad", count(rule.Until, now)}
}

func (h *handler) robotsStep(d *collyrobots.Decision, known bool, checked *collyrobots.Decision, now time.Time) step {
	s := step{Part: robotsPart, Kind: "good"}
	if !known && checked != nil && checked.URL != "" {
		d, known = checked, true // it was refused: there is nothing to be known
	}
	if !known {
		s.Kind, s.Text = "unknown", "its robots.txt has not been read"
		return s
	}
	if !d.Allowed {
		s.Kind = "bad"
	}
	rule := fmt.Sprintf("line %d: %s", d.Line, short(d.Rule, 300))
	cause := ""
	if d.Err != nil {
		cause = " (" + short(d.Err.Error(), 300) + ")"
	}
	switch {
	case d.Permitted:
		s.Text = "disallowed by " + rule + "; the owner permits it"
	case d.Reason == report.OptOut:
		s.Text = "the site denies what this crawl is for, " + rule
	case d.Class == "":
		s.Text = "robots.txt itself is always allowed"
	case d.Class == collyrobots.ClassUnreachable && d.Reason == report.RobotsUnreachable:
		s.Kind, s.At = "held", count(d.RetryAt, now)
		s.Text = "it could not be read" + cause + ", so everything is disallowed until it can be"
	case d.Reason != "" && d.Reason != report.RobotsDisallowed:
		s.Text = "it was not asked for: " + short(string(d.Reason), 40) + cause
	case d.Class == collyrobots.ClassUnavailable && d.Allowed:
		s.Text = "there is none" + cause + ", so all is allowed"
	case d.Class == collyrobots.ClassUnavailable:
		s.Text = "it is not shown to us" + cause + ", which this crawl takes for a no"
	case d.Line == 0:
		s.Text = "no rule matches, so it is allowed"
	case d.Allowed:
		s.Text = "allowed by " + rule
	default:
		s.Text = "disallowed by " + rule
	}
	if d.Class == collyrobots.ClassRules && !d.ExpiresAt.After(now) {
		s.Text += "; that has run out, and would be read again first"
	}
	return s
}

// paceStep says when the host may be asked.
func (h *handler) paceStep(u *url.URL, d *collyrobots.Decision, known bool, now time.Time) step {
	s := step{Part: "Pace", Kind: "good"}
	snap, ok := h.crawl.Throttle.Snapshot(u.Host)
	if !ok {
		s.Text = "nobody waits for this host"
		if known && d.HasCrawlDelay {
			s.Text += "; it asks for " + span(d.CrawlDelay) + " between requests"
		}
		return s
	}
	switch {
	case snap.Parked != "":
		hold := report.Hold{Reason: snap.Parked}
		s.Kind, s.Text, s.At = "held", "the host is left alone: "+why(&hold), count(snap.Until, now)
		return s
	case snap.Source == throttle.FromBlock:
		s.Kind, s.Text, s.At = "held", "the host is blocked: it answered 429 or 503", count(snap.Until, now)
		return s
	case snap.Interval <= 0:
		s.Text = "without a gap"
	default:
		s.Text = "one request each " + span(snap.Interval)
	}
	if snap.Source == throttle.FromCrawlDelay {
		s.Text += ", as its Crawl-delay asks"
	}
	if snap.Waiting > 0 {
		s.Text += "; " + several(snap.Waiting, "request") + " wait before it"
	}
	s.At = count(snap.NextStart, now)
	return s
}

// signalsOf are the uses of which the site says something.
func signalsOf(s *collyrobots.Signals) []signalView {
	var out []signalView
	for use := collyrobots.Index; use <= collyrobots.TDM; use++ {
		verdict, sources := s.Verdict(use)
		if verdict == collyrobots.Unknown {
			continue
		}
		v := signalView{Use: use.String(), Verdict: verdict.String()}
		for _, source := range sources[:min(len(sources), 3)] {
			v.Sources = append(v.Sources, short(source.String(), 300))
		}
		out = append(out, v)
	}
	return out
}
