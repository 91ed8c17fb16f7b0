package collyrobots

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/internal/token"
	"github.com/collyetiquette/etiquette/report"
)

// What each purpose makes of the same site.
func TestAPurposeMakesItsOptOutARefusal(t *testing.T) {
	body := lines(
		"User-agent: *",                                 // 1
		"Content-Signal: search=no, ai-input=no",        // 2
		"Content-Usage: /a train-ai=n",                  // 3
		"Content-Usage: /a/open train-ai=y",             // 4
		"Disallow: /shut",                               // 5
		"User-agent: GPTBot", "Disallow: /only-for-gpt", // 6, 7
		"User-agent: ia_archiver", "Disallow: /no-copies", // 8, 9
	)
	for _, tt := range []struct {
		purpose Purpose
		want    map[string]report.Reason
	}{
		{PurposeUndeclared, nil},
		{PurposeOther, nil},
		{PurposeArchive, map[string]report.Reason{"/no-copies": report.RobotsDisallowed}},
		{PurposeSearch, map[string]report.Reason{"/a": report.OptOut, "/a/open": report.OptOut, "/b": report.OptOut, "/only-for-gpt": report.OptOut, "/no-copies": report.OptOut}},
		{PurposeAIInput, map[string]report.Reason{"/a": report.OptOut, "/a/open": report.OptOut, "/b": report.OptOut, "/only-for-gpt": report.OptOut, "/no-copies": report.OptOut}},
		{PurposeAITrain, map[string]report.Reason{"/a": report.OptOut, "/only-for-gpt": report.RobotsDisallowed}},
	} {
		inBubble(t, func(t *testing.T, web *testweb.Web) {
			site := web.Host("shop.test").Robots(body)
			paths := []string{"/a", "/a/open", "/b", "/only-for-gpt", "/no-copies", "/shut"}
			want := []string{"GET http://shop.test/robots.txt"}
			for _, p := range paths {
				site.Page(p, "x")
			}
			r := newRobots(t, web, Options{Purpose: tt.purpose, Refusals: RefusalsError})
			c := newCollector(t, r)
			for _, p := range paths {
				reason := tt.want[p]
				if p == "/shut" {
					reason = report.RobotsDisallowed
				}
				err := c.Visit("http://shop.test" + p)
				var refused *RefusedError
				switch {
				case reason == "":
					want = append(want, "GET http://shop.test"+p)
					if err != nil {
						t.Errorf("%q: Visit(%s) = %v, want fetched", tt.purpose, p, err)
					}
				case !errors.As(err, &refused) || refused.Decision.Reason != reason || !errors.Is(err, colly.ErrRobotsTxtBlocked):
					t.Errorf("%q: Visit(%s) = %v, want refused as %s", tt.purpose, p, err, reason)
				case reason == report.OptOut && (!errors.Is(err, ErrOptedOut) || errors.Is(err, ErrDisallowed) || errors.Is(err, ErrUnreachable)):
					t.Errorf("%q: Visit(%s) = %v, want ErrOptedOut and no other", tt.purpose, p, err)
				}
				d, err := r.Check(t.Context(), "http://shop.test"+p)
				if err != nil || d.Allowed != (reason == "") || d.Reason != reason {
					t.Errorf("%q: Check(%s) = %+v, %v, want reason %q", tt.purpose, p, d, err, reason)
				}
			}
			wantLog(t, web, want...)
		})
	}
}

func TestAnOptOutIsToldWithItsLine(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nContent-Signal: search=yes, ai-train=no\n").Page("/", "x")
		var told skips
		r := newRobots(t, web, Options{Purpose: PurposeAITrain, OnSkip: told.add})
		c := newCollector(t, r)
		visit(t, c, ErrOptedOut, "http://shop.test/")
		visit(t, c, nil, "http://shop.test/", "http://shop.test/b") // known by now: skips
		if got, want := told.lines(), []string{"GET http://shop.test/ opt_out", "GET http://shop.test/ opt_out", "GET http://shop.test/b opt_out"}; !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
		for _, s := range told.all {
			if s.skip.Line != 2 || s.skip.Rule != "content-signal: search=yes, ai-train=no" || !strings.Contains(s.skip.Detail, "line 2 of http://shop.test/robots.txt") {
				t.Errorf("skip = %+v, want its line, its text and a sentence with both", s.skip)
			}
		}
		wantLog(t, web, "GET http://shop.test/robots.txt")
	})
}

// An opt-out that the site takes back is forgotten with the copy that had it.
func TestAnOptOutHoldsAsLongAsItsCopy(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		site := web.Host("shop.test").Robots("User-agent: *\nContent-Usage: train-ai=n\n").Page("/", "x")
		c := newCollector(t, newRobots(t, web, Options{Purpose: PurposeAITrain}))
		visit(t, c, ErrOptedOut, "http://shop.test/")
		site.Robots("User-agent: *\nContent-Usage: train-ai=y\n")
		visit(t, c, nil, "http://shop.test/")
		after(longestLife)
		visit(t, c, nil, "http://shop.test/")
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/robots.txt", "GET http://shop.test/")
	})
}

func TestARedirectIsStoppedByTheOptOutOfItsTarget(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("").Answer("/", testweb.Answer{Redirect: "http://wiki.test/"})
		web.Host("wiki.test").Robots("User-agent: *\nContent-Signal: ai-input=no\n").Page("/", "x")
		c := newCollector(t, newRobots(t, web, Options{Purpose: PurposeAIInput}))
		visit(t, c, ErrOptedOut, "http://shop.test/")
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/", "GET http://wiki.test/robots.txt")
	})
}

func TestWhatAPageDeniesOnlyMarksIt(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("").Answer("/", testweb.Answer{Header: field("X-Robots-Tag", "noai, noarchive"), Body: "<p>x"})
		c := newCollector(t, newRobots(t, web, Options{Purpose: PurposeAITrain}))
		got := map[Purpose]bool{}
		c.OnResponse(func(r *colly.Response) {
			for _, p := range knownPurposes {
				sources, denied := SignalsOf(r).OptsOut(p)
				if got[p] = denied; denied != (len(sources) > 0) {
					t.Errorf("OptsOut(%q) = %v, %v", p, sources, denied)
				}
			}
		})
		visit(t, c, nil, "http://shop.test/")
		for p, want := range map[Purpose]bool{PurposeUndeclared: false, PurposeOther: false, PurposeSearch: false, PurposeArchive: true, PurposeAIInput: true, PurposeAITrain: true} {
			if got[p] != want {
				t.Errorf("the page opts out of %q: %v, want %v", p, got[p], want)
			}
		}
	})
}

func TestPurposeTokens(t *testing.T) {
	all := map[string]bool{}
	for _, p := range knownPurposes {
		tokens, date := PurposeTokens(p)
		if date != "2026-11-30" {
			t.Errorf("PurposeTokens(%q) is of %q", p, date)
		}
		for _, name := range tokens {
			all[name] = true
			if !token.Valid(name) {
				t.Errorf("PurposeTokens(%q) has %q, which is no product token", p, name)
			}
		}
		if sorted := slices.Clone(tokens); len(slices.Compact(sorted)) != len(tokens) {
			t.Errorf("PurposeTokens(%q) has a token twice", p)
		}
	}
	for p, want := range map[Purpose][]string{
		PurposeAITrain: {"GPTBot", "CCBot", "Google-Extended", "ClaudeBot", "Bytespider"}, PurposeAIInput: {"OAI-SearchBot", "PerplexityBot", "Google-Extended"},
		PurposeArchive: {"ia_archiver"}, PurposeSearch: nil, PurposeOther: nil, PurposeUndeclared: nil,
	} {
		got, _ := PurposeTokens(p)
		for _, name := range want {
			if !slices.Contains(got, name) {
				t.Errorf("PurposeTokens(%q) lacks %s", p, name)
			}
		}
		if want == nil && got != nil {
			t.Errorf("PurposeTokens(%q) = %q, want none", p, got)
		}
	}
	for _, line := range strings.Split(purposeTokensText, "\n") {
		if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) != "" && !all[strings.Fields(line)[0]] {
			t.Errorf("the line %q of the list is for no purpose", line)
		}
	}
}

func TestPurposesAreChecked(t *testing.T) {
	_, err := New(Options{Purpose: "training", FollowRules: 9})
	for _, want := range []string{`Options.Purpose "training"`, "Options.FollowRules 9"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New = %v, want an error that names %s", err, want)
		}
	}
	a, _ := Options{Purpose: PurposeAITrain, AlsoObey: []string{"FooBot"}}.checked()
	b, _ := Options{Purpose: PurposeAIInput, AlsoObey: []string{"FooBot"}}.checked()
	if a.equal(&b) || !a.equal(&a) || a.AlsoObey[0] != "FooBot" {
		t.Errorf("two purposes are equal options, or AlsoObey = %q has lost what was given", a.AlsoObey)
	}
}
