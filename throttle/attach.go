package throttle

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"weak"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// Attach paces a collector and its later clones. Call it right after NewCollector. A second call with equal rules returns the first Throttle; with
// other rules it is an error, and the first stays in force. If it fails for a collector without one, that sends nothing, and each Visit gives the reason.
func Attach(c *colly.Collector, rules ...LimitRule) (*Throttle, error) {
	t, err := New(Options{Rules: rules})
	if err != nil {
		return nil, chain.Fail(c, chain.Throttle, err)
	}
	return t.attach(c)
}

// Attach paces another collector. Collectors of one Throttle share the pace of each host.
func (t *Throttle) Attach(c *colly.Collector) error {
	_, err := t.attach(c)
	return err
}

// attach returns the Throttle that is in force.
func (t *Throttle) attach(c *colly.Collector) (*Throttle, error) {
	_, err := chain.Attach(c, t.opts.config(), t.layer)
	var taken *chain.TakenError
	if errors.As(err, &taken) {
		if l, ok := taken.Layer.(*layer); ok && l.throttle.opts.same(&t.opts) {
			return l.throttle, l.throttle.Attach(c)
		}
	}
	if err != nil {
		return nil, err
	}
	if t.attached.add(c) {
		t.warnOfRules(c)
		c.OnRequest(t.passCache)
		c.OnResponseHeaders(t.sawHeaders)
	}
	return t, nil
}

// warnOfRules tells that Colly's own rules hold their slots while ours wait.
func (t *Throttle) warnOfRules(c *colly.Collector) {
	if n := chain.LimitRules(c); n > 0 {
		t.teller.Log().Warn("throttle: the collector has LimitRules of its own, whose slots are held while a request waits here: remove the line "+
			"c.Limit(&colly.LimitRule{...}), or c.Limits(...), and give the same rule to throttle.Attach, or to Policy.Pace of a Guard", "rules", n)
	}
}

// passCache keeps Colly's page cache from serving a refusal again: a URL that was answered 429 or 503 is asked anew.
func (t *Throttle) passCache(r *colly.Request) {
	host := r.Host
	if host == "" {
		host = r.URL.Host
	}
	if b, ok := t.urls.look(r.URL, host); !ok || !b.throttled {
		return
	}
	header := r.Headers.Clone() // the map may be shared by many requests
	header.Set("Cache-Control", "no-cache")
	*r.Headers = header
}

// sawHeaders tells a 429 that came out of Colly's page cache. It says nothing about the host as it is now.
func (t *Throttle) sawHeaders(r *colly.Response) {
	if r.StatusCode != http.StatusTooManyRequests || !chain.FromCache(r.Request.URL) {
		return
	}
	t.urls.change(r.Request.URL, r.Request.URL.Host, true, func(b *badURL) { b.throttled = true })
	t.teller.Log().Warn(fmt.Sprintf("throttle: a %d came out of the collector's CacheDir: it is not counted, and the URL will be asked anew", r.StatusCode),
		"url", r.Request.URL.Redacted(), "host", r.Request.URL.Hostname(), "status", r.StatusCode)
}

// collectors are those that run our callbacks. They are not kept alive.
type collectors struct {
	mu  sync.Mutex
	all []weak.Pointer[colly.Collector]
}

// add reports whether the collector is new.
func (cs *collectors) add(c *colly.Collector) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.all = slices.DeleteFunc(cs.all, func(w weak.Pointer[colly.Collector]) bool { return w.Value() == nil })
	w := weak.Make(c)
	if slices.Contains(cs.all, w) {
		return false
	}
	cs.all = append(cs.all, w)
	return true
}

func (cs *collectors) closeIdle() {
	cs.mu.Lock()
	all := slices.Clone(cs.all)
	cs.mu.Unlock()
	for _, w := range all {
		if ch := chain.Of(w.Value()); ch != nil {
			ch.CloseIdle()
		}
	}
}
