package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/collyrobots"
)

// ownToken and agent are what this program itself is called when it fetches something.
const (
	ownToken = "etiquette-explain"
	agent    = "etiquette-explain/1.0 (+https://github.com/collyetiquette/etiquette)"
)

// question is what was asked.
type question struct {
	url, token, file string
	page             bool
}

// answer is what there is to say.
type answer struct {
	URL     string
	Robots  robotsAnswer
	Allowed bool
	Why     string
	Rules   collyrobots.Explanation

	CrawlDelay   string `json:",omitempty"` // such as "5s"
	RequestRates []string
	VisitTime    string
	Signals      map[string]use
	Images       map[string]use `json:",omitempty"` // where they differ
	UseLimit     string         `json:",omitempty"`
	Licenses     []string
	Problems     []string
	Sitemaps     []string

	Colly      string // what its own check would have said
	Grobotstxt string // what it says of the text alone
}

// robotsAnswer is where the robots.txt comes from and what its answer means.
type robotsAnswer struct {
	From   string
	Class  collyrobots.Class
	Status int    `json:",omitempty"`
	Err    string `json:",omitempty"`
}

// use is what the site says about one use.
type use struct {
	Verdict collyrobots.Verdict
	Sources []string
}

// answer finds it out.
func (q *question) answer(ctx context.Context) (*answer, error) {
	u, err := url.Parse(q.url)
	if err != nil {
		return nil, err
	}
	if u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no URL of the web", q.url)
	}
	a := &answer{
		URL: u.Redacted(), Robots: robotsAnswer{From: q.file, Class: collyrobots.ClassRules, Status: 200},
		RequestRates: []string{}, Licenses: []string{}, Problems: []string{}, Sitemaps: []string{}, // for JSON
	}
	var body []byte
	var signals collyrobots.Signals
	if q.file != "" {
		if body, err = os.ReadFile(q.file); err != nil {
			return nil, err
		}
	} else if body, signals, err = q.fetch(ctx, a); err != nil {
		return nil, err
	}
	rules := collyrobots.Compile(body, q.token)
	a.Rules = collyrobots.Explain(body, u.String(), q.token)
	if d, ok := rules.CrawlDelay(); ok {
		a.CrawlDelay = d.String()
	}
	a.take(collyrobots.MergeSignals(rules.Signals(u.String()), signals))
	a.Sitemaps = append(a.Sitemaps, rules.Sitemaps()...)
	a.decide()
	a.Colly = collyAlone(a.Robots, body, u, q.token)
	a.Grobotstxt = grobotstxtAlone(a.Robots, body, u, a.Rules.ProductToken)
	return a, nil
}

// fetch asks the site for its robots.txt, and for the page if that is wanted and allowed: under this program's own name, at most one request each.
func (q *question) fetch(ctx context.Context, a *answer) (body []byte, s collyrobots.Signals, err error) {
	store := new(collyrobots.MemoryStore)
	robots, err := collyrobots.New(collyrobots.Options{Store: store, Refusals: collyrobots.RefusalsError})
	if err != nil {
		return nil, s, err
	}
	defer func() { _ = robots.Close() }()
	c := colly.NewCollector(colly.UserAgent(agent), colly.StdlibContext(ctx))
	if err := robots.Attach(c); err != nil {
		return nil, s, err
	}
	d, err := robots.Check(ctx, q.url)
	if err != nil {
		return nil, s, err
	}
	if d.Class == "" { // /robots.txt itself: the home page's is the same
		if d, err = robots.Check(ctx, d.Origin+"/"); err != nil {
			return nil, s, err
		}
	}
	a.Robots = robotsAnswer{From: d.Origin + "/robots.txt", Class: d.Class, Status: d.Status}
	if d.Err != nil {
		a.Robots.Err = d.Err.Error()
	}
	if e, ok, err := store.Get(ctx, d.Origin); err == nil && ok && e.Copy != nil && d.Class == collyrobots.ClassRules {
		body = e.Copy.Body
	}
	if q.page {
		c.OnResponse(func(r *colly.Response) {
			s = collyrobots.HeaderSignals(*r.Headers, q.token, time.Now()) // SignalsOf(r) would read them for this program's own name
			if strings.Contains(r.Headers.Get("Content-Type"), "html") {
				s = collyrobots.MergeSignals(s, collyrobots.HTMLSignals(r.Body, q.token, time.Now()))
			}
		})
		if err := c.Visit(q.url); err != nil {
			a.Problems = append(a.Problems, "the page was not fetched: "+err.Error())
		}
	}
	return body, s, nil
}
