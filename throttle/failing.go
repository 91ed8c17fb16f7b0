package throttle

import (
	"context"
	"errors"
	"hash/maphash"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/report"
)

const (
	maxURLs       = 100_000
	patientUntil  = 3  // failures without a wait of their own
	retryLimit    = 10 // failures after which a URL is refused
	retryLimitFor = 24 * time.Hour
)

// urls remembers URLs that failed, and those that were answered 429 or 503. A handler that calls Retry without a bound thereby ends: first the gaps
// double, then the URL is refused for a day. It holds maxURLs at most; the oldest goes first.
type urls struct {
	seed maphash.Seed
	size atomic.Int64 // so that a crawl without failures pays nothing

	mu    sync.Mutex
	known map[uint64]*badURL
	order []uint64 // a ring, oldest at next
	next  int
}

type badURL struct {
	failures  int
	notBefore int64
	throttled bool
	place     int // in order
}

// key is that of a URL with the Host that is sent.
func (k *urls) key(u *url.URL, host string) uint64 {
	var h maphash.Hash
	h.SetSeed(k.seed)
	for _, part := range [...]string{u.Scheme, host, u.Path, u.RawPath, u.RawQuery} {
		_, _ = h.WriteString(part)
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

// look is what is known of a URL.
func (k *urls) look(u *url.URL, host string) (b badURL, ok bool) {
	if k.size.Load() == 0 {
		return b, false
	}
	key := k.key(u, host)
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.known[key]; p != nil {
		return *p, true
	}
	return b, false
}

// change lets f change what is known of a URL, which is made known first if add says so, and forgets it if nothing is left to remember.
func (k *urls) change(u *url.URL, host string, add bool, f func(*badURL)) {
	key := k.key(u, host)
	k.mu.Lock()
	defer k.mu.Unlock()
	b := k.known[key]
	if b == nil {
		if !add {
			return
		}
		b = &badURL{place: k.next}
		if k.known == nil {
			k.known = make(map[uint64]*badURL)
		}
		if len(k.order) < maxURLs {
			b.place = len(k.order)
			k.order = append(k.order, key)
		} else {
			if old := k.known[k.order[k.next]]; old != nil && old.place == k.next {
				delete(k.known, k.order[k.next])
			}
			k.order[k.next] = key
			k.next = (k.next + 1) % maxURLs
		}
		k.known[key] = b
	}
	f(b)
	if b.failures == 0 && !b.throttled {
		delete(k.known, key)
	}
	k.size.Store(int64(len(k.known)))
}

// throttled notes that the URL, and those whose redirects led to it, were answered 429 or 503: Colly's page cache may have kept that answer.
func (k *urls) throttled(tn *Turn) {
	note := func(b *badURL) { b.throttled = true }
	k.change(tn.url, tn.url.Host, true, note)
	if tn.hop == nil {
		return
	}
	for resp := tn.hop.Previous(); resp != nil && resp.Request != nil; resp = resp.Request.Response {
		u := resp.Request.URL
		host := resp.Request.Host
		if host == "" {
			host = u.Host
		}
		k.change(u, host, true, note)
	}
}

// ended takes in how a request ended. status is zero if there was no answer. What becomes of a robots.txt that fails is for its reader to say
// (RFC 9309, 2.3.1.4).
func (k *urls) ended(tn *Turn, status int, err error, interval time.Duration) {
	switch {
	case tn.robots || err != nil && !failed(tn.ctx, err) || err == nil && throttled(status):
	case err != nil || status >= 500:
		now := tn.gate.throttle().now()
		k.change(tn.url, tn.url.Host, true, func(b *badURL) {
			b.failures++
			switch {
			case b.failures >= retryLimit:
				b.notBefore = now + int64(retryLimitFor)
			case b.failures >= patientUntil:
				b.notBefore = now + int64(max(interval, time.Second))<<(b.failures-patientUntil+1)
			}
		})
	case status != 0 && k.size.Load() > 0:
		k.change(tn.url, tn.url.Host, false, func(b *badURL) { b.failures, b.notBefore = 0, 0 })
	}
}

// failed reports whether err is the site's failure: not a cancellation, not a stop, not the proxy's.
func failed(ctx context.Context, err error) bool {
	if cause := context.Cause(ctx); cause != nil {
		var slow *chain.TimeoutError
		return errors.As(cause, &slow)
	}
	var refusal report.Refusal
	return !chain.IsProxy(err) && !errors.As(err, &refusal) && !errors.Is(err, context.Canceled)
}

// mustBePatient reports whether the URL failed so often that it may not be asked yet.
func (t *Throttle) mustBePatient(tn *Turn) bool {
	if tn.robots {
		return false
	}
	b, ok := t.urls.look(tn.url, tn.url.Host)
	return ok && b.failures >= patientUntil && t.now() < b.notBefore
}

// patience waits until a URL that keeps failing may be asked again, outside its host's line. Past the limit it is refused.
func (t *Throttle) patience(tn *Turn, host string) error {
	if !t.mustBePatient(tn) {
		return nil
	}
	b, _ := t.urls.look(tn.url, tn.url.Host)
	left := time.Duration(b.notBefore - t.now())
	if b.failures >= retryLimit {
		return &Error{URL: tn.url.Redacted(), Host: host, Reason: report.RetryLimit, Needed: left, RetryAt: t.wall(b.notBefore)}
	}
	tn.waited = true
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-t.closing:
		return ErrClosed
	case <-tn.ctx.Done():
		return context.Cause(tn.ctx)
	}
}
