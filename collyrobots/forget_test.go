package collyrobots

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

const disallowAll = "User-agent: *\nDisallow: /\n"

func TestWhatComesOfAFetchThatBeganBeforeForgetIsNotKept(t *testing.T) {
	for name, forgetAt := range map[string]time.Duration{"while it is on the wire": time.Second, "while it is being kept": 5*time.Second + time.Second/2} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, web *testweb.Web) {
				var hits atomic.Int32
				web.Host("shop.test").Page("/*", "x").Handle("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
					if hits.Add(1) == 1 {
						time.Sleep(5 * time.Second)
						_, _ = io.WriteString(w, disallowAll)
					}
				})
				store := &slowStore{}
				r := newRobots(t, web, Options{Store: store})
				c := newCollector(t, r)
				done := make(chan error, 1)
				go func() { done <- c.Visit("http://shop.test/a") }()
				time.Sleep(forgetAt)
				synctest.Wait()
				if err := r.Forget("http://shop.test"); err != nil {
					t.Fatalf("Forget = %v", err)
				}
				wantErr(t, "Visit of who waited", <-done, ErrDisallowed)
				after(10 * time.Second)
				if e, ok, err := store.Get(t.Context(), "http://shop.test"); ok || err != nil {
					t.Errorf("the store has %+v, %v after Forget", e, err)
				}
				visit(t, c, nil, "http://shop.test/b")
				wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/robots.txt", "GET http://shop.test/b")
			})
		})
	}
}

func TestWhatARedirectBroughtForAnotherOriginIsNotKeptIfThatWasForgotten(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Answer("/robots.txt", testweb.Answer{Redirect: "http://b.test/robots.txt"})
		web.Host("b.test").Answer("/robots.txt", testweb.Answer{Body: disallowAll, Delay: 5 * time.Second}, testweb.Answer{})
		store := &MemoryStore{}
		r := newRobots(t, web, Options{Store: store})
		done := make(chan Decision, 1)
		go func() {
			d, _ := r.Check(t.Context(), "http://a.test/")
			done <- d
		}()
		after(time.Second)
		if err := r.Forget("http://b.test"); err != nil {
			t.Fatalf("Forget = %v", err)
		}
		if d := <-done; d.Allowed {
			t.Errorf("Check of a.test = %+v, want disallowed", d)
		}
		if d := check(t, r, "http://b.test/"); !d.Allowed {
			t.Errorf("Check of b.test = %+v, want what it says since", d)
		}
	})
}
