package throttle

import (
	"strings"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

func TestASecondAttachWithEqualRulesReturnsTheFirst(t *testing.T) {
	c := colly.NewCollector()
	first, err := Attach(c, LimitRule{Delay: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if second, err := Attach(c, LimitRule{Delay: 2 * time.Second}); second != first || err != nil {
		t.Errorf("second Attach = %p, %v, want the first %p, nil", second, err, first)
	}
	if err := first.Attach(c); err != nil {
		t.Errorf("Attach of the same instance = %v, want nil", err)
	}
	if got, err := Attach(c, LimitRule{Delay: 3 * time.Second}); err == nil || got != nil {
		t.Errorf("Attach with other rules = %v, %v, want an error", got, err)
	}
	if got, err := Attach(c.Clone(), LimitRule{Delay: 2 * time.Second}); got != first || err != nil {
		t.Errorf("Attach of a clone = %p, %v, want the first %p, nil", got, err, first)
	}
}

func TestAttachRefusesARuleThatMakesNoSense(t *testing.T) {
	if _, err := Attach(colly.NewCollector(), LimitRule{DomainGlob: "a/b"}); err == nil {
		t.Error("Attach = nil, want an error")
	}
	if _, err := Attach(nil); err == nil {
		t.Error("Attach(nil) = nil, want an error")
	}
}

func TestAttachWarnsOfCollysOwnRulesAndNamesTheLine(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		var log logged
		th, err := New(Options{Logger: log.logger(), Base: web.Transport()})
		if err != nil {
			t.Fatal(err)
		}
		c := colly.NewCollector()
		if err := c.Limit(&colly.LimitRule{DomainGlob: "*"}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := th.Attach(c); err != nil {
				t.Fatal(err)
			}
		}
		if got := log.lines("c.Limit(&colly.LimitRule{"); len(got) != 1 || !strings.Contains(got[0], "WARN") {
			t.Errorf("log %q, want one warning that names c.Limit", got)
		}
	})
}

func TestAttachOfACollectorWithoutRulesWarnsOfNothing(t *testing.T) {
	var log logged
	th, err := New(Options{Logger: log.logger()})
	if err != nil {
		t.Fatal(err)
	}
	if err := th.Attach(colly.NewCollector()); err != nil {
		t.Fatal(err)
	}
	if got := log.lines("WARN"); len(got) != 0 {
		t.Errorf("log %q, want no warning", got)
	}
}
