package chain

import (
	"net/http"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/report"
)

// admit is the OnRequest callback: without I/O and without waiting it aborts what is already known to be refused, before Colly's page cache
// and LimitRules.
func (c *Chain) admit(col *colly.Collector, r *colly.Request) {
	if r.IsAbort() {
		return // somebody else's decision
	}
	c.takeTimeout(col)
	c.disallowed.add(col.DisallowedDomains)
	if !c.wired(col, r) {
		return
	}
	setMark(r.URL)
	if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != "" || c.errorsFor(col) {
		return // a refusal must be an error: the wire gives it
	}
	s := c.stack()
	a := Admission{Chain: c, URL: sentURL(r.URL, r.Host), Dialled: r.URL, Method: methodOf(r.Method), Header: *r.Headers}
	a.ProductToken = s.token(a.URL)
	for _, l := range s.layers {
		ad, ok := l.(Admitter)
		if !ok {
			continue
		}
		if err := ad.Admit(a); err != nil && c.skipRefused(col, r, l, err, a) {
			return
		}
	}
	if c.memory.size.Load() > 0 {
		c.skipRemembered(col, r, a)
	}
}

// A goroutine's stack is small when it begins, and it is copied whenever it grows: what admission and wire do for most requests is kept apart from what
// they do for those that are refused, which holds whole skips and decisions.

// skipRefused skips what a layer refuses.
func (c *Chain) skipRefused(col *colly.Collector, r *colly.Request, l Layer, err error, a Admission) bool {
	ref, ok := err.(report.Refusal)
	if ok {
		c.skip(col, r, l, ref.Skip(), a)
	}
	return ok
}

// skipRemembered skips what was refused before, if the cause is still there.
func (c *Chain) skipRemembered(col *colly.Collector, r *colly.Request, a Admission) {
	e, ok := c.memory.find(firstKey(r.Method, r.URL, r.Host), func() uint64 { return c.memory.hash(cookieHeader(col, r), nil) })
	if ok {
		e.skip.Time = time.Now()
		c.skip(col, r, e.layer, e.skip, a)
	}
}

// errorsFor reports whether a refusal is an error for col. Where nothing was said, it is for one whose own check was turned on, before Attach or
// after it: its Visit returned colly.ErrRobotsTxtBlocked so far.
func (c *Chain) errorsFor(col *colly.Collector) bool {
	return c.AsErrors() || c.config().Refusals == RefusalsAuto && !col.IgnoreRobotsTxt
}

// skip aborts the request and tells it.
func (c *Chain) skip(col *colly.Collector, r *colly.Request, l Layer, s report.Skip, a Admission) {
	r.Abort()
	fillSkip(&s, a.URL, a.Method)
	c.keep(r, s)
	if !c.toldByPair(col, a.Method, s.URL) {
		c.tell(l, r, s)
	}
}

// pairTime is for how long the HEAD and the GET of a Visit with CheckHead are taken for one.
const pairTime = 10 * time.Second

// toldByPair keeps a Visit with CheckHead, which asks by HEAD and by GET, from being told twice. In Async mode either may come first.
func (c *Chain) toldByPair(col *colly.Collector, method, url string) bool {
	if col == nil || !col.CheckHead {
		return false
	}
	other := http.MethodGet
	if method == http.MethodGet {
		other = http.MethodHead
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if at, told := c.pairs[memoryKey{other, url}]; told && now.Sub(at) < pairTime {
		delete(c.pairs, memoryKey{other, url})
		return true
	}
	if c.pairs == nil || len(c.pairs) > maxRemembered {
		c.pairs = make(map[memoryKey]time.Time)
	}
	c.pairs[memoryKey{method, url}] = now
	return false
}

// wired sees whether the request will come through the chain at all, and stops it if that is in doubt. While one of the devices holds, the
// first such request goes on and fails with an error that says what happened; later ones are skips.
func (c *Chain) wired(col *colly.Collector, r *colly.Request) bool {
	d, _ := col.Context.(*deadContext)
	ours, intact := d != nil && d.chain == c, c.intact(col)
	if ours && intact {
		c.bypassed.Store(false) // if there was a cause, it is gone
		return true
	}
	canSkip := (r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == "") && !c.errorsFor(col)
	failsClosed := intact || ours && failsOnDeadContext(col)
	seen := c.bypassed.Load()
	if failsClosed && !(seen && canSkip) {
		if !ours {
			setMark(r.URL)
			c.misled.put(r.URL) // the wire could take a child of our context for ours
		}
		return false
	}
	c.bypassed.Store(true)
	a := Admission{URL: sentURL(r.URL, r.Host), Method: methodOf(r.Method)}
	s := newBypass(a.URL, a.Method, bypassDetail(ours, intact)).Skip()
	c.skip(col, r, itself, s, a)
	return false
}

func bypassDetail(ours, intact bool) string {
	switch {
	case ours:
		return "WithTransport or SetClient was called after Attach: take that call out and give the transport to " + baseField
	case intact:
		return "the collector's Context was replaced: use etiquette.SetContext(c, ctx) in place of c.Context = ctx"
	default:
		return "the collector's Context and its transport or client were replaced after Attach (Init and Appengine do that too): attach last, " +
			"give the transport to " + baseField + " and the context to etiquette.SetContext"
	}
}
