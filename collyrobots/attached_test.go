package collyrobots

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"weak"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

// collected runs the garbage collector until done, or gives up.
func collected(done func() bool) bool {
	for range 20 {
		if done() {
			return true
		}
		runtime.GC()
	}
	return done()
}

func TestARobotsKeepsNoCollectorAliveThatIsGone(t *testing.T) {
	web := testweb.NewMemory()
	defer web.Close()
	r := newRobots(t, web, Options{})
	var chains []weak.Pointer[chain.Chain]
	for i := range 200 {
		host := fmt.Sprintf("h%d.test", i)
		web.Host(host).Robots(disallowPrivate).Page("/*", "x")
		c := newCollector(t, r)
		visit(t, c, nil, "http://"+host+"/") // what is known of the origin has come through it
		chains = append(chains, weak.Make(chain.Of(c)))
	}
	alive := func() (n int) {
		for _, w := range chains {
			if w.Value() != nil {
				n++
			}
		}
		return n
	}
	if !collected(func() bool { return alive() <= 1 }) {
		t.Errorf("%d of 200 chains are kept although their collectors are gone", alive())
	}
	newCollector(t, r)
	if got := len(r.attached); got > 2 {
		t.Errorf("%d attachments are kept, want those that are still there", got)
	}
	if d := check(t, r, "http://h0.test/private"); d.Allowed || d.Class != ClassRules {
		t.Errorf("Check = %+v, want what is known", d)
	}
	if err := r.Forget("http://h0.test"); err != nil {
		t.Fatal(err)
	}
	if d := check(t, r, "http://h0.test/private"); d.Allowed || d.Class != ClassRules {
		t.Errorf("Check = %+v, want the rules, fetched by way of what is left", d)
	}
}

func TestCheckGoesThroughACloneThatOutlivesItsCollector(t *testing.T) {
	web := testweb.NewMemory()
	defer web.Close()
	web.Host("shop.test").Robots(disallowPrivate)
	r := newRobots(t, web, Options{})
	clone, err := chain.Clone(newCollector(t, r))
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	w := r.wayTo(mustOrigin(t, "http://shop.test"))
	if w.chain != chain.Of(clone) {
		t.Error("wayTo leads past the chain of a clone that is still there")
	}
	runtime.KeepAlive(clone)
}

func TestAttachAndCheckAtOnce(t *testing.T) {
	web := testweb.NewMemory()
	defer web.Close()
	r := newRobots(t, web, Options{})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
					_, _ = r.Check(t.Context(), fmt.Sprintf("http://h%d.test/", i%1000)) // looks for one that has not ended
				}
			}
		})
	}
	for range 15 {
		for range 50 {
			newCollector(t, r, colly.StdlibContext(ended))
		}
		runtime.GC() // so that the next Attach finds some that are gone
	}
	close(stop)
	wg.Wait()
}
