package throttle

import (
	"strings"
	"testing"
	"time"
)

func TestTheFirstRuleThatMatchesCounts(t *testing.T) {
	ps, err := compileRules([]LimitRule{
		{DomainGlob: "shop.test:8080", Delay: 1 * time.Minute},
		{DomainGlob: "*.Shop.test", Delay: 2 * time.Minute},
		{DomainRegexp: `^news\.`, Delay: 3 * time.Minute},
		{DomainGlob: "a.test", DomainRegexp: `^b\.test$`, Delay: 4 * time.Minute},
		{DomainGlob: "bücher.test", Delay: 5 * time.Minute},
		{DomainGlob: "shop.test", Delay: 6 * time.Minute},
		{DomainGlob: `\[::1\]:80`, Delay: 7 * time.Minute},
		{DomainGlob: "shop.*", Delay: NoDelay, Parallelism: 3},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		host string
		port uint16
		want time.Duration
	}{
		{"shop.test", 8080, time.Minute},
		{"shop.test", 80, 6 * time.Minute},
		{"www.shop.test", 443, 2 * time.Minute},
		{"news.test", 443, 3 * time.Minute},
		{"a.test", 80, 4 * time.Minute},
		{"b.test", 80, 4 * time.Minute},
		{"xn--bcher-kva.test", 80, 5 * time.Minute},
		{"::1", 80, 7 * time.Minute},
		{"shop.example", 80, 0},
		{"other.test", 80, time.Second},
	} {
		if got := ps[ps.match(x.host, x.port)].delay; got != x.want {
			t.Errorf("%s on port %d: delay %v, want %v", x.host, x.port, got, x.want)
		}
	}
}

func TestARuleWithoutPatternIsForEveryHost(t *testing.T) {
	ps, err := compileRules([]LimitRule{{Delay: 5 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	if got := ps[ps.match("any.test", 80)].delay; got != 5*time.Second {
		t.Errorf("delay %v, want 5 s", got)
	}
}

func TestARuleThatMakesNoSenseIsAnErrorThatNamesFieldAndValue(t *testing.T) {
	for _, x := range []struct {
		rule LimitRule
		want string
	}{
		{LimitRule{DomainGlob: "http://shop.test"}, `Rules[1].DomainGlob "http://shop.test"`},
		{LimitRule{DomainRegexp: "shop.test/a"}, `Rules[1].DomainRegexp "shop.test/a"`},
		{LimitRule{DomainRegexp: "("}, `Rules[1].DomainRegexp "("`},
		{LimitRule{DomainGlob: "[a"}, `Rules[1].DomainGlob "[a"`},
		{LimitRule{DomainGlob: "no host"}, `Rules[1].DomainGlob "no host"`},
		{LimitRule{Delay: -2 * time.Second}, "Rules[1].Delay -2s"},
		{LimitRule{RandomDelay: -1}, "Rules[1].RandomDelay -1ns"},
		{LimitRule{Parallelism: -1}, "Rules[1].Parallelism -1"},
	} {
		_, err := New(Options{Rules: []LimitRule{{}, x.rule}})
		if err == nil || !strings.Contains(err.Error(), x.want) || !strings.HasPrefix(err.Error(), "throttle: ") {
			t.Errorf("New with %+v = %v, want an error with %q", x.rule, err, x.want)
		}
	}
}

func TestOptionsThatMakeNoSenseAreErrors(t *testing.T) {
	for _, o := range []Options{{MaxCrawlDelay: -1}, {Total: -1}, {MaxHosts: -1}, {Retries: -1}} {
		if _, err := New(o); err == nil || !strings.HasPrefix(err.Error(), "throttle: Options.") {
			t.Errorf("New(%+v) = %v, want an error that names the option", o, err)
		}
	}
}

func TestInterval(t *testing.T) {
	const s = time.Second
	for _, x := range []struct {
		name              string
		rule, crawl, left time.Duration
		want              time.Duration
		from              Source
	}{
		{"the rule alone", s, 0, 0, s, FromRule},
		{"a crawl delay is a floor", s, 10 * s, 0, 10 * s, FromCrawlDelay},
		{"a crawl delay never makes it faster", 5 * s, 2 * s, 0, 5 * s, FromRule},
		{"half a second is kept", 0, s / 2, 0, s / 2, FromCrawlDelay},
		{"a block", s, 10 * s, 30 * s, 30 * s, FromBlock},
		{"a block that is shorter than the interval", s, 10 * s, 5 * s, 10 * s, FromCrawlDelay},
	} {
		if got, from := interval(x.rule, x.crawl, x.left); got != x.want || from != x.from {
			t.Errorf("%s: interval(%v, %v, %v) = %v, %q, want %v, %q", x.name, x.rule, x.crawl, x.left, got, from, x.want, x.from)
		}
	}
}
