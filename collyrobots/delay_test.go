package collyrobots

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestCrawlDelayValues(t *testing.T) {
	const longest = time.Duration(math.MaxInt64)
	for _, tt := range []struct {
		value string
		want  time.Duration
		ok    bool
	}{
		{"10", 10 * time.Second, true},
		{"0", 0, true},
		{"0.0", 0, true},
		{"0.5", 500 * time.Millisecond, true},
		{".5", 500 * time.Millisecond, true},
		{"3.", 3 * time.Second, true},
		{"007", 7 * time.Second, true},
		{"1.000000001", time.Second + 1, true},
		{"1.0000000001", time.Second + 1, true}, // never shorter than asked for
		{"1.0000000000", time.Second, true},
		{"0.1234567891", 123456790, true},
		{"86400", 24 * time.Hour, true},
		{"9223372035", 9223372035 * time.Second, true},
		{"9223372036", longest, true},
		{"9223372036.9", longest, true},
		{"99999999999999999999999999", longest, true},
		{strings.Repeat("0", 100) + "1", time.Second, true},
		{"", 0, false},
		{".", 0, false},
		{"-1", 0, false},
		{"+1", 0, false},
		{"1e3", 0, false},
		{"0x10", 0, false},
		{"10s", 0, false},
		{"10 s", 0, false},
		{"1,5", 0, false},
		{"1.2.3", 0, false},
		{"soon", 0, false},
		{"[5]", 0, false},
		{"١٠", 0, false}, // digits, but not of a plain decimal
		{"NaN", 0, false},
		{"Inf", 0, false},
	} {
		if got, ok := parseDelay(tt.value); got != tt.want || ok != tt.ok {
			t.Errorf("parseDelay(%q) = %v, %v, want %v, %v", tt.value, got, ok, tt.want, tt.ok)
		}
	}
}

func TestWhoseCrawlDelayIs(t *testing.T) {
	const none = time.Duration(-1)
	for _, tt := range []struct {
		rule, body string
		want       map[string]time.Duration // of each agent
	}{
		{"the agents right above", "User-agent: A\nUser-agent: B\nCrawl-delay: 2\nDisallow: /\n",
			map[string]time.Duration{"A": 2, "B": 2, "C": none}},
		{"a crawl delay does not end the group, but it is not for the agents behind it", "User-agent: A\nCrawl-delay: 2\nUser-agent: B\nDisallow: /\n",
			map[string]time.Duration{"A": 2, "B": none}},
		{"each its own", "User-agent: A\nCrawl-delay: 2\nUser-agent: B\nCrawl-delay: 3\nDisallow: /\n",
			map[string]time.Duration{"A": 2, "B": 3}},
		{"behind the rules it is for all of the group", "User-agent: A\nUser-agent: B\nDisallow: /a\nCrawl-delay: 4\nDisallow: /b\n",
			map[string]time.Duration{"A": 4, "B": 4}},
		{"of two the last valid", "User-agent: A\nCrawl-delay: 2\nCrawl-delay: 9\nCrawl-delay: soon\n",
			map[string]time.Duration{"A": 9}},
		{"one that is no number is nobody else's either", "User-agent: A\nCrawl-delay: -1\nUser-agent: B\nCrawl-delay: 8\n",
			map[string]time.Duration{"A": none, "B": 8}},
		{"of groups of one agent the last", "User-agent: A\nCrawl-delay: 2\n\nUser-agent: B\nDisallow: /\n\nUser-agent: A\nCrawl-delay: 5\n",
			map[string]time.Duration{"A": 5}},
		{"a named agent never takes that of *", "User-agent: *\nCrawl-delay: 7\nDisallow: /x\n\nUser-agent: A\nDisallow: /y\n",
			map[string]time.Duration{"A": none, "C": 7}},
		{"before any agent it is nobody's", "Crawl-delay: 8\nUser-agent: *\nDisallow: /\n",
			map[string]time.Duration{"A": none}},
		{"other records between the agents change nothing", "User-agent: A\nSitemap: https://h.example/s\nNoindex: /\nUser-agent: B\nCrawl-delay: 3\n",
			map[string]time.Duration{"A": 3, "B": 3}},
	} {
		for agent, want := range tt.want {
			got, ok := Compile([]byte(tt.body), agent).CrawlDelay()
			if want != none {
				want *= time.Second
			} else if !ok {
				got = none
			}
			if got != want {
				t.Errorf("%s: CrawlDelay() for %s = %v, %v, want %v (-1ns: none)", tt.rule, agent, got, ok, want)
			}
		}
	}
}
