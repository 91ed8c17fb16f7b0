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
