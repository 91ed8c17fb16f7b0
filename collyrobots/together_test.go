package collyrobots

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

// What may happen between two steps of a fetch.

func TestWhoComesWhenTheFetchHasJustEndedDoesNotBeginAnother(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots(disallowPrivate)
		r := newRobots(t, web, Options{})
		check(t, r, "http://shop.test/")
		s := r.cache.peek(mustOrigin(t, "http://shop.test"))
		if f := r.join(&s, r.wayTo(s.origin)); f != nil {
			t.Error("join = a flight although robots.txt is known")
		}
	})
}

func TestAnOriginThatIsBeingFetchedIsNotEvicted(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("slow.test").Answer("/robots.txt", testweb.Answer{Delay: 10 * time.Second}).Page("/*", "x")
		r := newRobots(t, web, Options{})
		r.cache.limit = 5000
		client := &http.Client{Transport: r.Transport(nil)}
		first := get(t.Context(), client, "http://slow.test/a")
		synctest.Wait()
		for i := range 100 {
			check(t, r, fmt.Sprintf("http://h%d.test/", i))
		}
		second := get(t.Context(), client, "http://slow.test/b")
		if err := errors.Join(<-first, <-second); err != nil {
			t.Fatal(err)
		}
		if got := web.Count("GET http://slow.test/robots.txt"); got != 1 {
			t.Errorf("robots.txt was fetched %d times, want once for both", got)
		}
	})
}

func TestWhoHoldsASiteThatWasEvictedFindsTheOneInItsPlace(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots(disallowPrivate)
		r := newRobots(t, web, Options{})
		old := r.cache.get(mustOrigin(t, "http://shop.test"))
		r.cache.remove(old)
		st, sd, err := r.obtain(t.Context(), old, r.wayTo(old.origin))
		if err != nil || sd != rulesHold || st == nil {
			t.Fatalf("obtain = %v, %v", sd, err)
		}
		if d := check(t, r, "http://shop.test/private"); d.Allowed || len(web.Hits()) != 1 {
			t.Errorf("Check = %+v after %v, want one fetch for both", d, web.Log())
		}
	})
}

// slowStore takes a second to keep an entry, and fails if it is broken off.
type slowStore struct{ MemoryStore }

func (s *slowStore) Put(ctx context.Context, e Entry) error {
	select {
	case <-time.After(time.Second):
		return s.MemoryStore.Put(ctx, e)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func TestAnAnswerIsKeptAlthoughWhoAskedHasLeft(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots(disallowPrivate)
		store := &slowStore{}
		r := newRobots(t, web, Options{Store: store})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if _, err := r.Check(ctx, "http://shop.test/"); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Check = %v", err)
		}
		after(time.Second)
		check(t, r, "http://shop.test/")
		check(t, newRobots(t, web, Options{Store: store}), "http://shop.test/")
		if got := len(web.Hits()); got != 1 {
			t.Errorf("robots.txt was fetched %d times, want once", got)
		}
	})
}

func TestARedirectThroughARobotsTxtThatWasReadMeanwhileLeavesIt(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Answer("/robots.txt", testweb.Answer{Redirect: "http://b.test/robots.txt"})
		web.Host("b.test").Answer("/robots.txt", testweb.Answer{Delay: 5 * time.Second}, testweb.Answer{Body: disallowPrivate})
		r := newRobots(t, web, Options{})
		done := make(chan Decision)
		go func() {
			d, _ := r.Check(t.Context(), "http://a.test/private")
			done <- d
		}()
		synctest.Wait()
		check(t, r, "http://b.test/")
		if d := <-done; !d.Allowed {
			t.Errorf("Check of a.test = %+v, want what it was answered with", d)
		}
		if d := check(t, r, "http://b.test/private"); d.Allowed {
			t.Errorf("Check of b.test = %+v, want what it was answered with itself", d)
		}
	})
}

func TestTwoOriginsThatRedirectToEachOtherDoNotWaitForEachOther(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Answer("/robots.txt", testweb.Answer{Redirect: "http://b.test/robots.txt", Delay: time.Second})
		web.Host("b.test").Answer("/robots.txt", testweb.Answer{Redirect: "http://a.test/robots.txt", Delay: time.Second})
		r := newRobots(t, web, Options{})
		client := &http.Client{Transport: r.Transport(nil)}
		a, b := get(t.Context(), client, "http://a.test/"), get(t.Context(), client, "http://b.test/")
		for _, err := range []error{<-a, <-b} {
			wantErr(t, "Get", err, ErrUnreachable)
		}
	})
}
