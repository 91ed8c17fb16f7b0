package chain

import (
	"errors"
	"hash/maphash"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/report"
)

// The chain remembers what it refused on the wire, because many scrapers call Retry in OnError without a bound, and a redirect whose second hop is
// refused would hit the server's first hop each time.

const (
	holdFor       = 24 * time.Hour // the longest that a refusal is remembered
	maxRemembered = 100_000
	// manyCookies is how many different sets of cookies may be refused before the set no longer counts: a server that hands out a new session with
	// each answer must not keep a loop alive.
	manyCookies = 3

	firstAnswer = time.Second // how late a refusal from memory comes, doubling
	lastAnswer  = time.Minute
)

type memoryKey struct{ method, url string }

type remembered struct {
	cookies []uint64 // hashes of cookies, Authorization and body
	any     bool     // too many of them: whoever asks is meant
	layer   Layer
	cause   error
	skip    report.Skip
	target  Admission // the hop that was refused
	until   time.Time
	wait    time.Duration // how late the next answer from memory comes

	answered time.Time // when the last answer came
}

type memory struct {
	size atomic.Int64 // so that a crawl without refusals pays nothing
	seed maphash.Seed
	mu   sync.Mutex
	m    map[memoryKey]*remembered
}

// remember keeps the refusal of a hop under the request that the user made.
func (c *Chain) remember(h *Hop, ref *refused) {
	first := firstOf(h.given)
	now := time.Now()
	until := now.Add(holdFor)
	if at := ref.skip.RetryAt; !at.IsZero() && at.Before(until) {
		until = at
	}
	key := firstKey(first.Method, first.URL, first.Host)
	hash := c.memory.hash(first.Header, first)

	m := &c.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.m == nil {
		m.m = make(map[memoryKey]*remembered)
	}
	e := m.m[key]
	if e == nil {
		m.makeRoom(now)
		e = &remembered{wait: firstAnswer, answered: now}
		m.m[key] = e
		m.size.Store(int64(len(m.m)))
	}
	if !e.any && !slices.Contains(e.cookies, hash) {
		e.cookies = append(e.cookies, hash)
		e.any = len(e.cookies) >= manyCookies
	}
	e.layer, e.cause, e.skip, e.until = ref.layer, ref.cause, ref.skip, until
	// The request's own URL and header may be changed by the user's OnError while this is read.
	sent, dialled := *h.sent, *h.given.URL
	agent := http.Header{"User-Agent": slices.Clone(h.header["User-Agent"])}
	e.target = Admission{Chain: c, URL: &sent, Dialled: &dialled, Method: h.Method(), Header: agent, ProductToken: h.token}
}

// makeRoom drops what has run out, and if that is not enough, any entry. The caller holds mu.
func (m *memory) makeRoom(now time.Time) {
	if len(m.m) < maxRemembered {
		return
	}
	for k, e := range m.m {
		if now.After(e.until) {
			delete(m.m, k)
		}
	}
	for k := range m.m { // a tenth at once, so that a full memory costs little
		if len(m.m) < maxRemembered-maxRemembered/10 {
			return
		}
		delete(m.m, k)
	}
}

// find is what is remembered of a request, as long as its cause is there. hash is that of its cookies, Authorization and body.
func (m *memory) find(key memoryKey, hash func() uint64) (remembered, bool) {
	m.mu.Lock()
	e := m.m[key]
	if e == nil {
		m.mu.Unlock()
		return remembered{}, false
	}
	got := *e
	got.cookies = slices.Clone(e.cookies)
	m.mu.Unlock()

	if !got.any && !slices.Contains(got.cookies, hash()) {
		return remembered{}, false
	}
	gone := !time.Now().Before(got.until)
	if h, ok := got.layer.(Holder); ok && !gone {
		gone = !h.Holds(got.target, got.skip)
	}
	if gone {
		m.mu.Lock()
		if m.m[key] == e {
			delete(m.m, key)
			m.size.Store(int64(len(m.m)))
		}
		m.mu.Unlock()
		return remembered{}, false
	}
	return got, true
}

// later is how late the next answer from memory comes: not at all if the last one is a while ago, else after a time that doubles.
func (m *memory) later(key memoryKey, now time.Time) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.m[key]
	if e == nil {
		return firstAnswer
	}
	if now.Sub(e.answered) >= firstAnswer { // no loop that spins
		e.wait, e.answered = firstAnswer, now
		return 0
	}
	wait := e.wait
	e.wait, e.answered = min(2*e.wait, lastAnswer), now.Add(wait)
	return wait
}

// maxHashed is how much of a body tells one request from another.
const maxHashed = 64 << 10

// hash is what besides method and URL makes a request the same one again: its cookies, its Authorization and its body. r gives the body; nil: none.
func (m *memory) hash(h http.Header, r *http.Request) uint64 {
	var s maphash.Hash
	s.SetSeed(m.seed)
	_, _ = s.WriteString(strings.Join(h["Cookie"], "; "))
	_ = s.WriteByte(0)
	_, _ = s.WriteString(strings.Join(h["Authorization"], ", "))
	if r != nil && r.GetBody != nil {
		if body, err := r.GetBody(); err == nil {
			_ = s.WriteByte(0)
			_, _ = io.CopyN(&s, body, maxHashed)
			_ = body.Close()
		}
	}
	return s.Sum64()
}

// recall answers a first hop from memory, unsent. What can be skipped at admission does not come here. A Visit is answered at once; what may be a
// loop, Retry and everything that is no GET or HEAD, is answered late.
func (c *Chain) recall(h *Hop) error {
	if c.memory.size.Load() == 0 || h.robot || h.given.Response != nil {
		return nil
	}
	return c.remembered(h)
}

func (c *Chain) remembered(h *Hop) error {
	key := firstKey(h.given.Method, h.given.URL, h.given.Host)
	e, ok := c.memory.find(key, func() uint64 { return c.memory.hash(h.header, h.given) })
	if !ok {
		return nil
	}
	visit, _ := h.given.Context().Value(colly.CheckRevisitKey).(bool)
	if !visit || h.Method() != http.MethodGet && h.Method() != http.MethodHead {
		err := sleep(h.Context(), c.memory.later(key, time.Now()))
		var cut *WaitError // the client's own timeout: the reason must come before it
		if err != nil && !errors.As(err, &cut) {
			return err
		}
	}
	e.skip.Time = time.Now()
	return &refused{cause: e.cause, skip: e.skip, layer: e.layer, chain: c}
}

// cookieHeader is the header with the cookies that the collector's jar would add, as net/http writes them.
func cookieHeader(col *colly.Collector, r *colly.Request) http.Header {
	probe := &http.Request{Header: http.Header{}}
	if v := (*r.Headers)["Cookie"]; len(v) > 0 {
		probe.Header["Cookie"] = slices.Clone(v)
	}
	for _, cookie := range col.Cookies(r.URL.String()) {
		probe.AddCookie(cookie)
	}
	if v := (*r.Headers)["Authorization"]; len(v) > 0 {
		probe.Header["Authorization"] = v
	} else if u := r.URL.User; u != nil {
		password, _ := u.Password()
		probe.SetBasicAuth(u.Username(), password)
	}
	return probe.Header
}

func methodOf(m string) string {
	if m == "" {
		return http.MethodGet
	}
	return m
}

// firstKey is the key under which a request of the user is remembered. A fragment is not sent and is no part of it.
func firstKey(method string, u *url.URL, host string) memoryKey {
	plain := *sentURL(u, host)
	plain.Fragment, plain.RawFragment = "", ""
	return memoryKey{methodOf(method), plain.String()}
}
