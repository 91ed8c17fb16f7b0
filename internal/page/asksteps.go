package page

import (
	"fmt"
	"net/url"
	"time"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/report"
	"github.com/collyetiquette/etiquette/throttle"
)

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
