package throttle

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// behind is a layer between the throttle and the base.
type behind struct {
	chain.Teller
	handle func(h *chain.Hop) error
}

func (*behind) Kind() chain.Kind { return chain.Guard }

func (b *behind) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	if err := b.handle(h); err != nil {
		return h.Refuse(err)
	}
	return next(h)
}

func TestNoOtherStartsWhileOneIsHeldUpBeforeTheBase(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		c, th := paced(t, web, Options{Rules: []LimitRule{{Parallelism: 4}}})
		c.Async = true
		slow := &behind{handle: func(h *chain.Hop) error {
			if h.URL().Path == "/0" {
				time.Sleep(2500 * time.Millisecond) // as long as a busy scheduler takes, and longer
			}
			return nil
		}}
		if _, err := chain.Attach(c, chain.Config{}, slow); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_ = c.Visit("http://a.test/0")
		synctest.Wait()
		visit(t, c, numbered("a.test", 4)[1:]...)
		wantAt(t, web, "a.test", start, seconds(2.5, 3.5, 4.5, 5.5)...)
		wantIdle(t, th)
	})
}

// net/http's transport asks for the proxy after it was entered and before it looks for a connection.
func TestNoOtherStartsWhileOneIsHeldUpInsideTheBase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var dialled []time.Time
		first := true
		base := &http.Transport{
			Proxy: func(*http.Request) (*url.URL, error) {
				mu.Lock()
				held := first
				first = false
				mu.Unlock()
				if held {
					time.Sleep(2500 * time.Millisecond)
				}
				return nil, nil
			},
			DialContext: func(context.Context, string, string) (net.Conn, error) {
				mu.Lock()
				defer mu.Unlock()
				dialled = append(dialled, time.Now())
				return nil, errors.New("no network here")
			},
		}
		th, err := New(Options{Rules: []LimitRule{{Parallelism: 4}}, Logger: quiet()})
		if err != nil {
			t.Fatal(err)
		}
		client := &http.Client{Transport: th.Transport(base)}
		start := time.Now()
		var all sync.WaitGroup
		for _, u := range numbered("a.test", 4) {
			all.Go(func() { _, _ = client.Get(u) })
		}
		all.Wait()
		var got []time.Duration
		for _, at := range dialled {
			got = append(got, at.Sub(start))
		}
		if want := seconds(2.5, 3.5, 4.5, 5.5); !slices.Equal(got, want) {
			t.Errorf("connections were dialled at %v, want %v", got, want)
		}
		wantIdle(t, th)
	})
}

func TestWhatIsRefusedBehindTheThrottleIsNoStart(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		for _, parallel := range []int{1, 4} {
			c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: time.Minute, Parallelism: parallel}}})
			refuse := &behind{handle: func(h *chain.Hop) error {
				if h.URL().Path == "/no" {
					return &Error{Host: "a.test", Reason: report.Unwanted}
				}
				return nil
			}}
			if _, err := chain.Attach(c, chain.Config{}, refuse); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			wantRefused(t, c.Visit("http://a.test/no"), report.Unwanted)
			visit(t, c, "http://a.test/yes")
			if got := time.Since(start); got != 0 {
				t.Errorf("Parallelism %d: the next request came after %v, want at once: nothing was sent before it", parallel, got)
			}
			wantIdle(t, th)
		}
	})
}

func TestAPromiseIsThatOfTheMomentAtWhichTheTurnCame(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, th *Throttle) {
		mustWait(t, th, "http://a.test/").Done(nil, nil)
		tn, err := th.take(t.Context(), &url.URL{Scheme: "http", Host: "a.test"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, h := th.hosts.find("a.test")
		h.asked(80, 10*time.Second) // by another request, before this one is sent
		s.mu.Unlock()
		tn.sending(false)
		tn.Done(nil, nil)
		wantIdle(t, th)
	})
}
