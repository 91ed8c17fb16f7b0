package throttle

import (
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func TestAThrottledRequestIsRepeatedAfterTheBlock(t *testing.T) {
	for _, x := range []struct {
		retries, refusals int
		method            string
		hits, status      int
	}{
		{0, 1, "GET", 1, 429},
		{1, 1, "GET", 2, 200},
		{3, 2, "HEAD", 3, 200},
		{2, 5, "GET", 3, 429},
		{2, 1, "POST", 1, 429},
	} {
		virtual(t, func(t *testing.T, web *testweb.Web) {
			var answers []testweb.Answer
			for range x.refusals {
				answers = append(answers, retryAfter(429, "60"))
			}
			web.Host("a.test").Answer("/1", append(answers, testweb.Answer{Body: "well"})...)
			c, th := paced(t, web, Options{Retries: x.retries}, colly.Async())
			var got []int
			c.OnResponse(func(r *colly.Response) { got = append(got, r.StatusCode) })
			c.OnError(func(r *colly.Response, _ error) { got = append(got, r.StatusCode) })
			start := time.Now()
			if err := c.Request(x.method, "http://a.test/1", nil, nil, nil); err != nil {
				t.Fatal(err)
			}
			c.Wait()
			if len(web.Log()) != x.hits || len(got) != 1 || got[0] != x.status {
				t.Errorf("%+v: %d requests, the handlers got %v, want %d and one %d", x, len(web.Log()), got, x.hits, x.status)
			}
			if took := time.Since(start); took < time.Duration(x.hits-1)*60*time.Second {
				t.Errorf("%+v: took %v, want the blocks to be waited for", x, took)
			}
			wantIdle(t, th)
		})
	}
}

func TestARepetitionThatWouldWaitTooLongIsRefusedOnce(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Answer("/1", retryAfter(429, "3600"))
		var skips []report.Skip
		c, th := paced(t, web, Options{Retries: 3, OnSkip: func(_ *colly.Request, s report.Skip) { skips = append(skips, s) }})
		wantRefused(t, c.Visit("http://a.test/1"), report.RateLimited)
		if len(web.Log()) != 1 || len(skips) != 1 {
			t.Errorf("%d requests, skips %+v, want 1 and one", len(web.Log()), skips)
		}
		wantIdle(t, th)
	})
}
