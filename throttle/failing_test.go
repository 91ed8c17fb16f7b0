package throttle

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"net/url"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func TestAHandlerThatRetriesWithoutABoundEnds(t *testing.T) {
	for _, bad := range []testweb.Answer{{Status: 500}, {Status: 502}, {Reset: true}, {HalfBody: true, Body: "x"}, {HangHeaders: true}} {
		virtual(t, func(t *testing.T, web *testweb.Web) {
			web.Host("a.test").Answer("/bad", bad).Page("/good", "x")
			var skips []report.Skip
			c, th := paced(t, web, Options{OnSkip: func(_ *colly.Request, s report.Skip) { skips = append(skips, s) }})
			c.OnError(func(r *colly.Response, _ error) { _ = r.Request.Retry() })
			_ = c.Visit("http://a.test/bad")
			hits := web.HitsOf("a.test")
			if got := len(hits); got != 10 {
				t.Fatalf("%+v: %d requests, want 10", bad, got)
			}
			grown := testweb.Gaps(hits)[2:]
			for i, want := range seconds(2, 4, 8, 16, 32, 64, 128) {
				if grown[i] < want {
					t.Errorf("%+v: gap %d is %v, want at least %v", bad, i+3, grown[i], want)
				}
			}
			if len(skips) != 1 || skips[0].Reason != report.RetryLimit || time.Until(skips[0].RetryAt).Round(time.Hour) != 24*time.Hour {
				t.Errorf("%+v: skips %+v, want one, retry_limit, again after a day", bad, skips)
			}
			visit(t, c, "http://a.test/good") // the host is not held
			wantIdle(t, th)
		})
	}
}

func TestWhatClearsAURLAndWhatDoesNotCount(t *testing.T) {
	ctx := context.Background()
	gone, cancel := context.WithCancel(ctx)
	cancel()
	u, _ := url.Parse("http://a.test/x")
	boom := errors.New("connection reset")
	for _, x := range []struct {
		name   string
		ctx    context.Context
		status int
		err    error
		want   int // failures after one failure and this
	}{
		{"500", ctx, 500, nil, 2},
		{"599", ctx, 599, nil, 2},
		{"transport error", ctx, 0, boom, 2},
		{"body cut short", ctx, 200, boom, 2},
		{"503 does not count", ctx, 503, nil, 1},
		{"429 does not count", ctx, 429, nil, 1},
		{"cancelled", gone, 0, boom, 1},
		{"cancelled by the caller of Wait", ctx, 0, context.Canceled, 1},
		{"stopped", ctx, 0, &Error{}, 1},
		{"404 clears", ctx, 404, nil, 0},
		{"403 clears", ctx, 403, nil, 0},
		{"200 clears", ctx, 200, nil, 0},
	} {
		th, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		g := &gate{shard: &th.hosts.shards[0]}
		th.urls.ended(&Turn{url: u, ctx: ctx, gate: g}, 500, nil, time.Second)
		th.urls.ended(&Turn{url: u, ctx: x.ctx, gate: g}, x.status, x.err, time.Second)
		if b, _ := th.urls.look(u, "a.test"); b.failures != x.want {
			t.Errorf("%s: %d failures, want %d", x.name, b.failures, x.want)
		}
	}
}

func TestTheTableOfURLsIsBoundedAndTheOldestGoes(t *testing.T) {
	k := urls{seed: maphash.MakeSeed()}
	for i := range maxURLs + 10 {
		u := &url.URL{Scheme: "http", Host: "a.test", Path: fmt.Sprintf("/%d", i)}
		k.change(u, u.Host, true, func(b *badURL) { b.failures++ })
	}
	if got := int(k.size.Load()); got != maxURLs {
		t.Errorf("%d URLs, want %d", got, maxURLs)
	}
	for i, want := range map[int]bool{0: false, 9: false, 10: true, maxURLs + 9: true} {
		u := &url.URL{Scheme: "http", Host: "a.test", Path: fmt.Sprintf("/%d", i)}
		if _, got := k.look(u, u.Host); got != want {
			t.Errorf("URL %d known: %v, want %v", i, got, want)
		}
	}
}
