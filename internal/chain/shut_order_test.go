package chain

import (
	"errors"
	"net/http"
	"testing"

	"github.com/gocolly/colly/v2"
)

// The order in which parts are attached says nothing: what failed first is as missing as what failed last.
func TestAPartThatCouldNotBeAttachedFirstIsStillMissingWhenAnotherIsThere(t *testing.T) {
	fault := errors.New("the contact is not one")
	for name, fail := range map[string]func(*colly.Collector){
		"before it has a layer": func(c *colly.Collector) { _ = Fail(c, Identity, fault) },
		"twice":                 func(c *colly.Collector) { _ = Fail(c, Identity, fault); _ = Fail(c, Identity, fault) },
		"after another's": func(c *colly.Collector) {
			_ = Fail(c, Throttle, errors.New("a wrong rule"))
			_ = Fail(c, Identity, fault)
		},
		"another's after its": func(c *colly.Collector) {
			_ = Fail(c, Identity, fault)
			_ = Fail(c, Throttle, errors.New("a wrong rule"))
		},
		"with a layer that was made": func(c *colly.Collector) {
			c.WithTransport(http.DefaultTransport)
			_, fault = Attach(c, Config{}, &testLayer{kind: Identity})
		},
	} {
		t.Run(name, func(t *testing.T) {
			web := memoryWeb(t)
			web.Host("shop.test").Page("/*", "x")
			base := web.Transport()
			c := colly.NewCollector(colly.AllowURLRevisit())
			fail(c)
			older := c.Clone()
			for _, kind := range []Kind{Robots, Throttle} {
				mustAttach(t, c, Config{Base: base}, &testLayer{kind: kind})
				for _, col := range []*colly.Collector{c, c.Clone(), older} {
					if err := col.Visit("http://shop.test/" + kind.String()); err != nil && !errors.Is(err, ErrBypassed) {
						t.Errorf("Visit with the %s attached = %v, want an error that matches ErrBypassed, or a skip", kind, err)
					}
				}
			}
			if err := c.Visit("http://shop.test/why"); !errors.Is(err, fault) {
				t.Errorf("Visit with the rest attached = %v, want what Attach said: %v", err, fault)
			}
			wantHits(t, web)
			mustAttach(t, c, Config{}, &testLayer{kind: Identity})
			if err := c.Visit("http://shop.test/late"); err != nil {
				t.Errorf("Visit with all that failed attached = %v, want nil", err)
			}
			wantHits(t, web, "GET http://shop.test/late")
		})
	}
}

// A second failure must not turn the error of the first into silence.
func TestEachVisitAfterSeveralFailedAttachesSaysWhy(t *testing.T) {
	first, second := errors.New("a wrong rule"), errors.New("no such file")
	c := colly.NewCollector(colly.AllowURLRevisit())
	for _, fail := range []func(){
		func() { _ = Fail(c, Throttle, first) },
		func() { _ = Fail(c, KillSwitch, second) },
		func() { _ = Fail(c, KillSwitch, second) },
	} {
		fail()
		for _, col := range []*colly.Collector{c, c.Clone()} {
			if err := col.Visit("http://shop.test/"); !errors.Is(err, first) && !errors.Is(err, second) {
				t.Errorf("Visit = %v, want what Attach said", err)
			}
		}
	}
}

func TestAShutCollectorServesNoOtherSchemeEither(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/*", "x")
	served := 0
	base := &http.Transport{}
	base.RegisterProtocol("file", roundTripper(func(r *http.Request) (*http.Response, error) {
		served++
		return localNotFound(r), nil
	}))
	c := colly.NewCollector(colly.AllowURLRevisit())
	mustAttach(t, c, Config{Base: base, Schemes: []string{"file"}}, refuser())
	fault := errors.New("the contact is not one")
	_ = Fail(c, Identity, fault)
	if err := c.Visit("file:///etc/hosts"); !errors.Is(err, fault) || served != 0 {
		t.Errorf("Visit = %v with %d served, want the fault and 0", err, served)
	}
}

// A clone that is older than Attach shares the client of the collector that it was made of.
func TestAnAttachThatFailsOnAnOldCloneTakesNothingFromTheCollectorThatIsAttached(t *testing.T) {
	web := memoryWeb(t)
	web.Host("shop.test").Page("/*", "x")
	c := colly.NewCollector()
	failed, attachedLate := c.Clone(), c.Clone()
	mustAttach(t, c, Config{Base: web.Transport()}, refuser())
	fault := errors.New("the contact is not one")
	_ = Fail(failed, Identity, fault)
	_, err := Attach(attachedLate, Config{}, refuser())
	if err == nil {
		t.Fatal("Attach of a clone that is older than Attach = nil, want an error")
	}
	if got := failed.Visit("http://shop.test/failed"); !errors.Is(got, fault) {
		t.Errorf("Visit of the clone = %v, want what Fail was given: %v", got, fault)
	}
	if got := attachedLate.Visit("http://shop.test/late"); !errors.Is(got, err) {
		t.Errorf("Visit of the clone = %v, want what Attach said: %v", got, err)
	}
	if err := c.Visit("http://shop.test/1"); err != nil {
		t.Errorf("Visit of the collector = %v, want nil", err)
	}
	wantHits(t, web, "GET http://shop.test/1")
}
