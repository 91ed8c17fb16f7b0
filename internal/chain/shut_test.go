package chain

import (
	"errors"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/report"
)

// What could not be attached is missing, whatever else is there: a program that passes over the error must not crawl on without it.
func TestAPartThatCannotBeAttachedShutsACollectorThatHasOthers(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/*", "x")
	fault := errors.New("the contact is not one")
	robots := refuser()
	c := attached(t, web, robots)
	if err := Fail(c, Identity, fault); err != fault {
		t.Errorf("Fail = %v, want the error that was given", err)
	}
	clone := c.Clone()
	for name, col := range map[string]*colly.Collector{"collector": c, "plain clone": clone} {
		err := col.Visit("http://shop.test/" + name[:5])
		if !errors.Is(err, fault) || !errors.Is(err, ErrBypassed) {
			t.Errorf("%s: Visit = %v, want the fault of the Attach that failed", name, err)
		}
	}
	if got, want := len(robots.told()), 2; got != want || robots.told()[0].skip.Reason != report.Bypassed {
		t.Errorf("told %v, want %d skips as bypassed", robots.told(), want)
	}
	wantHits(t, web)

	mustAttach(t, c, Config{}, &testLayer{kind: KillSwitch})
	if err := c.Visit("http://shop.test/another-part"); !errors.Is(err, fault) {
		t.Errorf("Visit after another part was attached = %v, want the fault still", err)
	}
	mustAttach(t, c, Config{}, &testLayer{kind: Identity})
	if err := c.Visit("http://shop.test/late"); err != nil {
		t.Errorf("Visit after the part was attached = %v, want nil", err)
	}
	c.AllowURLRevisit = true
	if err := c.Visit("http://shop.test/colle"); err != nil {
		t.Errorf("Visit of what was refused meanwhile = %v, want nil", err)
	}
	wantHits(t, web, "GET http://shop.test/late", "GET http://shop.test/colle")
}

func TestAFailedAttachOfAPartThatIsThereLeavesTheFirstInForce(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/*", "x")
	first := refuser()
	c := attached(t, web, first)
	if err := Fail(c, Robots, errors.New("a wrong option")); err == nil {
		t.Error("Fail = nil, want the error")
	}
	if _, err := Attach(c, Config{}, refuser()); err == nil {
		t.Error("Attach of another = nil, want an error")
	}
	if err := c.Visit("http://shop.test/open"); err != nil {
		t.Errorf("Visit = %v, want nil: the first is in force", err)
	}
	wantHits(t, web, "GET http://shop.test/open")
}

// Either all layers of one Attach are there or the collector sends nothing: a Guard beside a part that was attached alone would else leave that part alone.
func TestAnAttachThatLeavesALayerOutShutsTheCollector(t *testing.T) {
	other := func() *colly.Collector {
		web := memoryWeb(t)
		web.Host("shop.test").Page("/*", "x")
		t.Cleanup(func() { wantHits(t, web) })
		return attached(t, web, refuser())
	}
	for name, attach := range map[string]func(c *colly.Collector) error{
		"one of two is taken": func(c *colly.Collector) error {
			_, err := Attach(c, Config{}, refuser(), &testLayer{kind: Throttle})
			return err
		},
		"another base": func(c *colly.Collector) error {
			_, err := Attach(c, Config{Base: memoryWeb(t).Transport()}, &testLayer{kind: Throttle})
			return err
		},
		"schemes too late": func(c *colly.Collector) error {
			_, err := Attach(c, Config{Schemes: []string{"file"}}, &testLayer{kind: Throttle})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := other()
			fault := attach(c)
			if fault == nil {
				t.Fatal("Attach = nil, want an error")
			}
			if err := c.Visit("http://shop.test/"); !errors.Is(err, fault) {
				t.Errorf("Visit = %v, want what Attach said: %v", err, fault)
			}
		})
	}
}
