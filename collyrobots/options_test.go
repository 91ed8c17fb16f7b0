package collyrobots

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/report"
)

func TestABadValueIsAnErrorThatNamesFieldAndValue(t *testing.T) {
	for _, test := range []struct {
		o    Options
		want []string
	}{
		{Options{ProductToken: "bot/1.0"}, []string{`Options.ProductToken "bot/1.0"`, `"/"`}},
		{Options{ProductToken: "*"}, []string{`Options.ProductToken "*"`}},
		{Options{ProductToken: "my bot"}, []string{`Options.ProductToken "my bot"`, `" "`}},
		{Options{ProductToken: "Böt"}, []string{`Options.ProductToken "Böt"`, `"ö"`}},
		{Options{ProductToken: "bot4"}, []string{`Options.ProductToken "bot4"`, `"4"`}},
		{Options{AlsoObey: []string{"GPTBot", ""}}, []string{"Options.AlsoObey[1]", "empty"}},
		{Options{AlsoObey: []string{"GPTBot/1"}}, []string{`Options.AlsoObey[0] "GPTBot/1"`}},
		{Options{MaxAge: 25 * time.Hour}, []string{"Options.MaxAge 25h0m0s", "24h"}},
		{Options{MaxAge: -1}, []string{"Options.MaxAge -1ns"}},
		{Options{MaxAge: 60}, []string{"Options.MaxAge 60ns", "1h"}},
		{Options{MaxAge: time.Hour - 1}, []string{"Options.MaxAge 59m59.999999999s", "1h"}},
		{Options{CacheBytes: -1}, []string{"Options.CacheBytes -1"}},
		{Options{CacheBytes: 64}, []string{"Options.CacheBytes 64", "1 MiB"}},
		{Options{CacheBytes: 1<<20 - 1}, []string{"Options.CacheBytes 1048575", "1 MiB"}},
		{Options{MaxBody: 1000}, []string{"Options.MaxBody 1000", "512000"}},
		{Options{MaxBody: -1}, []string{"Options.MaxBody -1"}},
		{Options{MaxBody: 1 << 40}, []string{"Options.MaxBody 1099511627776"}},
		{Options{StaleIfUnreachable: -time.Second}, []string{"Options.StaleIfUnreachable -1s"}},
		{Options{Patience: -time.Second}, []string{"Options.Patience -1s"}},
		{Options{AfterThirtyDays: 9}, []string{"Options.AfterThirtyDays 9"}},
		{Options{Refusals: 9}, []string{"Options.Refusals 9"}},
		{Options{Schemes: []string{"HTTP"}}, []string{`Options.Schemes[0] "HTTP"`}},
		{Options{MaxAge: -1, Patience: -1}, []string{"Options.MaxAge", "Options.Patience"}},
	} {
		r, err := New(test.o)
		if err == nil || r != nil {
			t.Errorf("New(%+v) = %v, nil, want an error", test.o, r)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "collyrobots: ") {
				t.Errorf("New(%+v) = %q, want %q in it", test.o, err, want)
			}
		}
	}
}

func TestTheZeroValueIsThePoliteDefault(t *testing.T) {
	o, err := Options{}.checked()
	if err != nil {
		t.Fatal(err)
	}
	if o.MaxAge != 24*time.Hour || o.MaxBody != 512_000 || o.CacheBytes != 64<<20 || o.AfterThirtyDays != StayDisallowed || o.Refusals != RefusalsAuto {
		t.Errorf("Options{}.checked() = %+v", o)
	}
	if _, err := (Options{MaxAge: time.Hour, CacheBytes: 1 << 20, MaxBody: 512_000, ProductToken: "Foo_Bot-x", AlsoObey: []string{"GPTBot"}}).checked(); err != nil {
		t.Errorf("values at their bounds: %v", err)
	}
}

// odd is a RoundTripper that cannot be compared with ==.
type odd []int

func (odd) RoundTrip(*http.Request) (*http.Response, error) { return nil, http.ErrNotSupported }

func TestOptionsAreEqualIfTheySayTheSame(t *testing.T) {
	store, transport := &MemoryStore{}, &http.Transport{}
	for _, test := range []struct {
		name string
		a, b Options
		want bool
	}{
		{"zero", Options{}, Options{}, true},
		{"a default and its value", Options{}, Options{MaxAge: 24 * time.Hour, MaxBody: 512_000}, true},
		{"equal values", Options{AlsoObey: []string{"a"}, Store: store, Base: transport}, Options{AlsoObey: []string{"a"}, Store: store, Base: transport}, true},
		{"token", Options{ProductToken: "a"}, Options{}, false},
		{"also obey", Options{AlsoObey: []string{"a"}}, Options{AlsoObey: []string{"b"}}, false},
		{"age", Options{MaxAge: time.Hour}, Options{}, false},
		{"store", Options{Store: store}, Options{Store: &MemoryStore{}}, false},
		{"base", Options{Base: transport}, Options{Base: &http.Transport{}}, false},
		{"a base that cannot be compared", Options{Base: odd{1}}, Options{Base: odd{1}}, false},
		{"functions", Options{OnSkip: func(*colly.Request, report.Skip) {}}, Options{OnSkip: func(*colly.Request, report.Skip) {}}, false},
		{"private", Options{AllowPrivate: true}, Options{}, false},
		{"patience", Options{Patience: 1}, Options{}, false},
	} {
		a, errA := test.a.checked()
		b, errB := test.b.checked()
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if got := a.equal(&b); got != test.want {
			t.Errorf("%s: equal = %v, want %v", test.name, got, test.want)
		}
	}
}
