package throttle

import (
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/collyetiquette/etiquette/report"
)

// throttled reports whether an answer asks to slow down (RFC 6585, 4; RFC 9110, 15.6.4).
func throttled(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// urgent reports whether the others who wait for the host must learn of the answer before its body is read.
func urgent(resp *http.Response) bool { return throttled(resp.StatusCode) || denies(resp) }

// learn takes in an answer that asks to slow down or says no. What it leads to is told after the lock is released.
func (t *Throttle) learn(tn *Turn, resp *http.Response) {
	g, h := tn.gate, tn.gate.host
	var retryAfter time.Duration
	if throttled(resp.StatusCode) {
		retryAfter, _ = parseRetryAfter(resp.Header.Get("Retry-After"), resp.Header.Get("Date"), time.Now())
	}

	g.shard.mu.Lock()
	if tn.state != flying { // it ended: what belongs to it is not known any more
		g.shard.mu.Unlock()
		return
	}
	now := t.now()
	var news event
	var note note
	if throttled(resp.StatusCode) {
		t.urls.throttled(tn)
		b := &h.extra().block
		if b.incident(now, tn.began, retryAfter, g.interval(), rand.Float64()) {
			news = event{what: "blocked", until: b.until}
		}
		if b.stalled(now) && h.park(now, now+int64(parkFor), report.RateLimited) || retryAfter > longestBlock && h.park(now, b.until, report.RateLimited) {
			news = event{what: "parked", until: h.more.parked}
		}
	}
	if denies(resp) {
		if h.deny(tn.robots) && h.park(now, now+int64(parkFor), report.AccessDenied) {
			news = event{what: "parked", until: h.more.parked}
		}
		if h.more != nil && !throttled(resp.StatusCode) {
			h.more.block.answered(now, tn.began)
		}
	}
	if news.what != "" {
		g.refuseHeld(now)
		g.advance(now)
		note = t.state.noteHold(g)
	}
	news.host, news.waiting = g.host.name, g.waiting
	if news.what != "" {
		news.reason, _ = h.more.earned(now)
	}
	g.shard.mu.Unlock()

	t.state.write(note)
	t.tellHold(news, resp.StatusCode, now)
	t.reportHold(news, resp.StatusCode)
}

// clean takes in any answer that does neither. The caller holds the lock.
func (h *host) clean(now int64, tn *Turn) {
	h.accept(tn.robots)
	if h.more != nil {
		h.more.block.answered(now, tn.began)
	}
}
