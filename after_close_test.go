package etiquette_test

import (
	"errors"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/throttle"
)

// What comes after Close is not sent, and the site is not blamed for it: neither in the error nor in what the next run finds in the StateDir.
func TestARequestAfterCloseBlamesNobody(t *testing.T) {
	inMemory(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("User-agent: *\nDisallow: /cart\n").Page("/*", "x")
		dir := t.TempDir()
		inDir := func(p *etiquette.Policy) { p.StateDir = dir }
		g := newGuard(t, web, inDir)
		c := guarded(t, g)
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		if err := c.Visit("http://shop.test/1"); !errors.Is(err, throttle.ErrClosed) || errors.Is(err, colly.ErrRobotsTxtBlocked) {
			t.Errorf("Visit after Close = %v, want throttle.ErrClosed and no word of robots.txt", err)
		}
		if got := web.Log(); len(got) != 0 {
			t.Errorf("the server saw %q after Close", got)
		}
		next := guarded(t, newGuard(t, web, inDir))
		if err := next.Visit("http://shop.test/1"); err != nil {
			t.Errorf("Visit of the next run = %v, want nil", err)
		}
	})
}
