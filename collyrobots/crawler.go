package collyrobots

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/collyetiquette/etiquette/internal/token"
)

// crawler is who a request says it is from.
type crawler struct {
	identity       string // the token of package identity; empty: it is not attached
	userAgent      string
	sendsUserAgent bool // false: net/http sends its own

	token string // by which rules are found, folded; empty: the "*" group
	name  string // the same for people
	fault string // why a site's owner cannot tell; empty: he can
}

// goUserAgent is what net/http sends if a request has no User-Agent.
const goUserAgent = "Go-http-client/1.1"

// crawlers remembers what User-Agents say. It dies with its Robots; of very many User-Agents, any is forgotten.
type crawlers struct {
	last atomic.Pointer[crawler] // almost always the one that is asked for
	mu   sync.Mutex
	m    map[crawlerKey]*crawler
}

type crawlerKey struct {
	identity, userAgent string
	sends               bool
}

const maxCrawlers = 1000

// crawlerOf is who a request with header h is from. identity is the identity layer's token, or empty.
func (r *Robots) crawlerOf(identity string, h http.Header) *crawler {
	values, sends := h["User-Agent"]
	userAgent := goUserAgent
	if sends {
		if userAgent = ""; len(values) > 0 {
			userAgent = values[0]
		}
	}
	return r.crawlerNamed(identity, userAgent, sends)
}

func (r *Robots) crawlerNamed(identity, userAgent string, sends bool) *crawler {
	cs := &r.crawlers
	if c := cs.last.Load(); c != nil && c.userAgent == userAgent && c.identity == identity && c.sendsUserAgent == sends {
		return c
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	key := crawlerKey{identity, userAgent, sends}
	c := cs.m[key]
	if c == nil {
		c = newCrawler(identity, r.options.ProductToken, userAgent, sends)
		if cs.m == nil {
			cs.m = make(map[crawlerKey]*crawler)
		}
		for k := range cs.m {
			if len(cs.m) < maxCrawlers {
				break
			}
			delete(cs.m, k)
		}
		cs.m[key] = c
	}
	cs.last.Store(c)
	return c
}

// newCrawler finds the token: that of package identity, else the configured one, else that of the User-Agent.
func newCrawler(identity, configured, userAgent string, sends bool) *crawler {
	c := &crawler{identity: identity, userAgent: userAgent, sendsUserAgent: sends}
	switch {
	case identity != "":
		c.name = identity // package identity sees to it that it is sent
	case configured != "":
		c.name = configured
		if !token.Contains(userAgent, configured) {
			c.fault = "Options.ProductToken is not in the User-Agent that is sent, so a site's owner cannot tell whom his rules are for; it counts all the same"
		}
	default:
		name, err := ProductToken(userAgent)
		c.name = name
		switch {
		case errors.Is(err, ErrBrowser):
			c.fault = "the User-Agent is a browser's and names no crawler, so the rules for \"*\" count"
		case err != nil:
			c.fault = "the User-Agent has no product token, so the rules for \"*\" count"
		}
	}
	c.token = ownToken(c.name)
	if c.token == "" {
		c.name = "*"
	}
	return c
}

// warnOf says once what is wrong with how we name ourselves.
func (r *Robots) warnOf(c *crawler) {
	if c.fault == "" || r.crawlerWarned.Load() || r.crawlerWarned.Swap(true) {
		return
	}
	r.log().Warn("collyrobots: "+c.fault, "user_agent", c.userAgent, "product_token", c.name)
}
