package chain

import (
	"hash/maphash"
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
	cookies []uint64 // hashes of cookies and Authorization
	any     bool     // too many of them: whoever asks is meant
	layer   Layer
	cause   error
	skip    report.Skip
	target  Admission // the hop that was refused
	until   time.Time
	wait    time.Duration // how late the next answer from memory comes
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
	key := memoryKey{methodOf(first.Method), sentURL(first.URL, first.Host).String()}
	hash := c.memory.hash(first.Header)

	m := &c.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.m == nil {
		m.m = make(map[memoryKey]*remembered)
	}
	e := m.m[key]
	if e == nil {
		m.makeRoom(now)
		e = &remembered{wait: firstAnswer}
		m.m[key] = e
		m.size.Store(int64(len(m.m)))
	}
	if !e.any && !slices.Contains(e.cookies, hash) {
		e.cookies = append(e.cookies, hash)
		e.any = len(e.cookies) >= manyCookies
	}
	e.layer, e.cause, e.skip, e.until = ref.layer, ref.cause, ref.skip, until
	e.target = Admission{Chain: c, URL: h.sent, Dialled: h.given.URL, Method: h.Method(), Header: h.header, ProductToken: h.token}
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
	for k := range m.m {
		if len(m.m) < maxRemembered {
			return
		}
		delete(m.m, k)
	}
}

// find is what is remembered of a request, as long as its cause is there. header makes the header with the cookies that would be sent.
func (m *memory) find(key memoryKey, header func() http.Header) (remembered, bool) {
	m.mu.Lock()
	e := m.m[key]
	if e == nil {
		m.mu.Unlock()
		return remembered{}, false
	}
	got := *e
	got.cookies = slices.Clone(e.cookies)
	m.mu.Unlock()

	if !got.any && !slices.Contains(got.cookies, m.hash(header())) {
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

// later is how late the next answer from memory comes, and doubles it.
func (m *memory) later(key memoryKey) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.m[key]
	if e == nil {
		return firstAnswer
	}
	wait := e.wait
	e.wait = min(2*e.wait, lastAnswer)
	return wait
}

func (m *memory) hash(h http.Header) uint64 {
	var s maphash.Hash
	s.SetSeed(m.seed)
	_, _ = s.WriteString(strings.Join(h["Cookie"], "; "))
	_ = s.WriteByte(0)
	_, _ = s.WriteString(strings.Join(h["Authorization"], ", "))
	return s.Sum64()
}

// recall answers a first hop from memory, late and unsent. What can be skipped at admission does not come here.
func (c *Chain) recall(h *Hop) (*http.Response, error) {
	if c.memory.size.Load() == 0 || h.robot || h.given.Response != nil {
		return nil, nil
	}
	key := memoryKey{h.Method(), h.sent.String()}
	e, ok := c.memory.find(key, func() http.Header { return h.header })
	if !ok {
		return nil, nil
	}
	if err := sleep(h.Context(), c.memory.later(key)); err != nil {
		return nil, err
	}
	e.skip.Time = time.Now()
	return nil, &refused{cause: e.cause, skip: e.skip, layer: e.layer, chain: c}
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

// firstURL is the key under which a request of the user is remembered.
func firstKey(method string, u *url.URL, host string) memoryKey {
	return memoryKey{methodOf(method), sentURL(u, host).String()}
}
