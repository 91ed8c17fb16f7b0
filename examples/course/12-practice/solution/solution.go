// Package solution is one way to solve the task of lesson 12, with the pack's reader of robots.txt and nothing else of it. In a crawler of your own, use
// Robots.Check: it does all this, and what is left out here.
package solution

import (
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/collyetiquette/etiquette/collyrobots"
)

const (
	life     = 24 * time.Hour // RFC 9309, 2.4
	again    = time.Minute    // when a robots.txt that could not be read is asked for again
	mostRead = 500 << 10      // bytes; RFC 9309, 2.5
)

// New makes a function that says whether the crawler with a User-Agent may fetch a URL, and with which Crawl-delay.
func New(agent string) func(rawURL string) (allowed bool, delay time.Duration) {
	c := &checker{agent: agent, client: &http.Client{Timeout: 10 * time.Second}, sites: make(map[string]*site)}
	return c.canCrawl
}

// checker knows the robots.txt of each origin that it was asked about.
type checker struct {
	agent  string
	client *http.Client

	mu    sync.Mutex
	sites map[string]*site // by origin, such as "http://shop.test:8080"
}

// site is one origin. Who asks while its robots.txt is being fetched waits for that.
type site struct {
	mu    sync.Mutex
	rules *collyrobots.Rules // nil: unreachable, so everything is disallowed
	until time.Time          // when it must be asked for again
}

func (c *checker) canCrawl(rawURL string) (allowed bool, delay time.Duration) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Host == "" {
		return false, 0
	}
	rules := c.rulesOf(u.Scheme + "://" + u.Host)
	if rules == nil {
		return false, 0
	}
	delay, _ = rules.CrawlDelay()
	return rules.Match(rawURL).Allowed, delay
}

// rulesOf are the rules of an origin, from memory as long as they may be used.
func (c *checker) rulesOf(origin string) *collyrobots.Rules {
	c.mu.Lock()
	s, ok := c.sites[origin]
	if !ok {
		s = &site{}
		c.sites[origin] = s
	}
	c.mu.Unlock()

	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); !now.Before(s.until) {
		s.rules = c.fetch(origin)
		s.until = now.Add(life)
		if s.rules == nil {
			s.until = now.Add(again)
		}
	}
	return s.rules
}

// fetch asks for a robots.txt. It is nil if nobody can know what the site wants.
func (c *checker) fetch(origin string) *collyrobots.Rules {
	req, err := http.NewRequest(http.MethodGet, origin+"/robots.txt", nil)
	if err != nil {
		return nil
	}
	req.Header.Set("User-Agent", c.agent)
	resp, err := c.client.Do(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostRead))
	switch status := resp.StatusCode; {
	case err != nil || status == http.StatusTooManyRequests:
		return nil
	case status/100 == 2:
		return collyrobots.Compile(body, c.agent) // it finds the product token in the User-Agent
	case status/100 == 4:
		return &collyrobots.Rules{} // there is no file, so there are no rules
	}
	return nil
}
