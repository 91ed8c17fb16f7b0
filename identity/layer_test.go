package identity

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// robotsLayer stands for collyrobots: it fetches robots.txt before the first page and looks at the token.
type robotsLayer struct {
	chain.Teller
	once   sync.Once
	tokens []string
}

func (l *robotsLayer) Kind() chain.Kind { return chain.Robots }

func (l *robotsLayer) Handle(h *chain.Hop, next chain.Handler) (*http.Response, error) {
	if h.IsRobots() {
		return next(h)
	}
	l.once.Do(func() {
		req, _ := http.NewRequestWithContext(h.Context(), "GET", h.URL().Scheme+"://"+h.URL().Host+"/robots.txt", nil)
		req.Header.Set("User-Agent", "robots layer's own")
		if resp, err := h.Chain().Fetch(req); err == nil {
			resp.Body.Close()
		}
	})
	l.tokens = append(l.tokens, h.ProductToken())
	return next(h)
}

func TestRobotsTakesItsTokenFromTheIdentityInEitherOrder(t *testing.T) {
	for _, identityFirst := range []bool{true, false} {
		web := memory(t)
		web.Host("shop.test").Page("/", "").Robots("")
		id := mustNew(t, Options{UserAgent: "Mozilla/5.0 (compatible; AcmeBot/1.2; +https://bot.acme.dev/c)", Mode: Refuse, Base: web.Transport()})
		robots := &robotsLayer{}
		c := colly.NewCollector()
		attach := []func() error{func() error { return id.Attach(c) }, func() error { _, err := chain.Attach(c, chain.Config{}, robots); return err }}
		if !identityFirst {
			attach[0], attach[1] = attach[1], attach[0]
		}
		for _, a := range attach {
			if err := a(); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Visit("http://shop.test/"); err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Join(robots.tokens, " "), "AcmeBot"; got != want {
			t.Errorf("identity first %v: token %q, want %q", identityFirst, got, want)
		}
		wantNames(t, web, id.UserAgent()+"|", id.UserAgent()+"|") // robots.txt goes out under the same name
	}
}
