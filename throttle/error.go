package throttle

import (
	"errors"
	"fmt"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/report"
)

// ErrClosed is the error of a request that came or waited after Close. It was not sent.
var ErrClosed = errors.New("throttle: closed: nothing is sent any more")

// Error refuses a request: the host would have to be asked later than the request may wait, or not at all for now. It was not sent.
type Error struct {
	URL, Method, Host string
	// Reason is one of crawl_delay_too_long, rate_limited, access_denied, retry_limit, outside_hours, budget, host_table_full and queue_full.
	Reason report.Reason
	// Needed is how long the request would have to wait, or for crawl_delay_too_long the gap that robots.txt asks for.
	Needed time.Duration
	// Allowed is how long it may wait, or the longest gap that is kept. Zero: waiting is not the question.
	Allowed time.Duration
	// RetryAt is when the request may be asked again. The zero time: not by this Throttle.
	RetryAt time.Time
	// Waited is how long it had waited.
	Waited time.Duration

	limit string // for budget: what is spent
}

func (e *Error) Error() string {
	return fmt.Sprintf("throttle: %s %s", e.Host, e.detail())
}

func (e *Error) detail() string {
	at := e.RetryAt.Format(time.RFC3339)
	needed := e.Needed.Round(time.Second)
	switch e.Reason {
	case report.CrawlDelayTooLong:
		return fmt.Sprintf("asks for %s between requests, %s is allowed: raise Options.MaxCrawlDelay, or Unpark the host; asked again after %s",
			e.Needed, e.Allowed, at)
	case report.AccessDenied:
		return "keeps saying no and is left alone until " + at + ": ask its owner, or Unpark the host"
	case report.RetryLimit:
		return fmt.Sprintf("failed %d times for this URL, which is left alone until %s", retryLimit, at)
	case report.OutsideHours:
		return fmt.Sprintf("is visited at other hours, ours or its own, and opens in %s, the request allows %s: ask again after %s, or see Options.Hours", needed, e.Allowed, at)
	case report.Budget:
		if e.RetryAt.IsZero() {
			return fmt.Sprintf("is not asked any more: %s is spent", e.limit)
		}
		return fmt.Sprintf("is not asked any more today: its budget of %s a day is spent: ask again after %s, or see Options.Budgets", e.limit, at)
	case report.QueueFull:
		return "has a URL that the frontier has no room for: raise Frontier.MaxSize, or give it a backing storage"
	case report.HostTableFull:
		return "is one host too many to keep a pace for: raise Options.MaxHosts; asked again after " + at
	}
	if e.Allowed <= 0 {
		return "answered 429 or 503 too often and is left alone until " + at + ": wait, or Unpark the host"
	}
	return fmt.Sprintf("answered 429 or 503 and needs %s, the request allows %s: ask again after %s, or raise Options.MaxBlockWait", needed, e.Allowed, at)
}

// Skip implements report.Refusal.
func (e *Error) Skip() report.Skip {
	return report.Skip{URL: e.URL, Method: e.Method, Host: e.Host, Reason: e.Reason, Detail: e.Host + " " + e.detail(), RetryAt: e.RetryAt, Waited: e.Waited}
}

// refusal is the error for a host that is held. The caller holds the lock.
func (t *Throttle) refusal(tn *Turn, h *host, reason report.Reason, now, until int64) *Error {
	e := &Error{Reason: reason}
	if until != never {
		e.Needed, e.RetryAt = time.Duration(until-now), t.wall(until)
	}
	switch {
	case reason == report.Budget && until == never:
		e.limit = fmt.Sprintf("Options.MaxRequests %d", t.quota.limit)
	case reason == report.CrawlDelayTooLong:
		e.Needed, e.Allowed = h.crawlDelay()/time.Duration(t.opts.processes()), t.maxCrawlDelay
	case reason == report.OutsideHours || reason == report.Budget:
		e.RetryAt = time.Now().Round(0).Add(time.Duration(until - t.now())).Round(time.Millisecond) // by the wall clock, as hours and days
		e.Allowed = t.maxBlockWait
		if reason == report.Budget {
			e.limit = h.more.account.limit()
		}
	case reason == report.RateLimited && now >= h.more.parked:
		e.Allowed = max(t.maxBlockWait, 1)
	}
	if tn != nil {
		e.URL, e.Host = tn.url.Redacted(), tn.gate.host.name
		if tn.arrived > 0 {
			e.Waited = time.Duration(now - tn.arrived)
		}
		if tn.hop != nil {
			e.Method = tn.hop.Method()
		}
	}
	return e
}

// hold is why requests to a host are refused now, and until when; empty: they are not. The host is nil if it is not known. The caller holds the lock.
func (t *Throttle) hold(h *host, robots bool, now int64) (report.Reason, int64) {
	if h != nil {
		if reason, until := h.hold(robots, now, t.maxBlockWait); reason != "" {
			return reason, until
		}
	}
	if !robots && t.quota.spent() {
		return report.Budget, never
	}
	return "", 0
}

// refuse is the error for a turn that must not join the line of a host that is held, or of a Throttle that is closed, or nil. The caller holds the lock.
func (t *Throttle) refuse(tn *Turn, now int64) error {
	if t.closed.Load() {
		return ErrClosed
	}
	reason, until := t.hold(tn.gate.host, tn.robots, now)
	if reason == "" {
		return nil
	}
	return t.refusal(tn, tn.gate.host, reason, now, until)
}

// admission is the refusal that memory already knows for a request, or nil.
func (t *Throttle) admission(a chain.Admission, key string) error {
	if b, ok := t.urls.look(a.URL, a.URL.Host); ok && b.failures >= retryLimit {
		if now := t.now(); now < b.notBefore {
			return &Error{URL: a.URL.Redacted(), Method: a.Method, Host: key, Reason: report.RetryLimit,
				Needed: time.Duration(b.notBefore - now), RetryAt: t.wall(b.notBefore)}
		}
	}
	s, h := t.hosts.find(key)
	defer s.mu.Unlock()
	now := t.now()
	_, port := originsOf(a.URL)
	h = t.asIfAsked(h, key, port)
	reason, until := t.hold(h, false, now)
	if reason == "" {
		return nil
	}
	e := t.refusal(nil, h, reason, now, until)
	e.URL, e.Method, e.Host = a.URL.Redacted(), a.Method, key
	return e
}
