package chain

import (
	"context"
	"net/http/httptrace"
	"sync/atomic"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

// What net/http and Colly put around the user's context is nearer to the request than what the user's context holds.
func TestATraceOfTheUsersContextAndThatOfCollyAreBothTold(t *testing.T) {
	web, err := testweb.NewLoopback()
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	web.Host("shop.test").Page("/*", "x")
	var told atomic.Int32
	ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{
		GetConn: func(string) { told.Add(1) }, WroteHeaders: func() { told.Add(1) }, GotFirstResponseByte: func() { told.Add(1) },
	})
	for name, wire := range map[string]func(c *colly.Collector){
		"bare":   func(c *colly.Collector) { c.Context = ctx; c.WithTransport(web.Transport()) },
		"before": func(c *colly.Collector) { c.Context = ctx; mustAttach(t, c, Config{Base: web.Transport()}, refuser()) },
		"SetContext": func(c *colly.Collector) {
			mustAttach(t, c, Config{Base: web.Transport()}, refuser())
			if err := SetContext(c, ctx); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			told.Store(0)
			c := colly.NewCollector()
			c.TraceHTTP = true
			wire(c)
			c.OnResponse(func(r *colly.Response) {
				if r.Trace == nil || r.Trace.FirstByteDuration <= 0 {
					t.Errorf("Response.Trace = %+v, want the durations of Colly's own trace", r.Trace)
				}
			})
			if err := c.Visit("http://shop.test/"); err != nil {
				t.Fatal(err)
			}
			if got := told.Load(); got != 3 {
				t.Errorf("the user's trace was told %d times, want 3", got)
			}
		})
	}
}
