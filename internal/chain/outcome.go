package chain

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/report"
)

// outcome is the OnError callback. Here a refusal on the wire meets the *colly.Request it belongs to, and a request that missed the chain is
// found out. It was registered by Attach, so it runs before the user's, who may call Retry.
func (c *Chain) outcome(col *colly.Collector, resp *colly.Response, err error) {
	r := resp.Request
	var ref *refused
	if errors.As(err, &ref) {
		c.keep(r, ref.skip)
		if !c.toldByPair(col, methodOf(r.Method), r.URL.Redacted()) {
			ref.tell(r)
		}
		if ref.skip.Reason == report.Bypassed {
			c.onBypass(r)
		}
		return
	}
	if !errors.Is(err, ErrBypassed) || r == nil {
		return
	}
	var fault *attachFault
	if errors.As(err, &fault) {
		return
	}
	detail := bypassDetail(true, false)
	if r.URL.Scheme == "https" && strings.Contains(strings.ToLower(r.Headers.Get("Connection")), "upgrade") {
		detail = "https with Connection: Upgrade cannot pass the chain"
	}
	s := newBypass(sentURL(r.URL, r.Host), methodOf(r.Method), detail).Skip()
	c.keep(r, s)
	c.tell(itself, r, s)
	c.onBypass(r)
}

// onBypass remembers that requests miss the chain: the first is an error and an Error line, later ones are skips. What cannot be a skip is
// slowed down, so that a loop of Retry does not spin.
func (c *Chain) onBypass(r *colly.Request) {
	c.bypassed.Store(true)
	if (r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == "") && !c.AsErrors() {
		return
	}
	c.mu.Lock()
	if c.bypassWait == 0 {
		c.bypassWait = firstAnswer
	}
	wait := c.bypassWait
	c.bypassWait = min(2*wait, lastAnswer)
	c.mu.Unlock()
	_ = sleep(c.FetchContext(), wait)
}

// logger is that of the first layer that has one.
func (c *Chain) logger() *slog.Logger {
	for _, l := range c.stack().layers {
		if g, ok := l.(interface{ Log() *slog.Logger }); ok {
			return g.Log()
		}
	}
	return slog.Default()
}
