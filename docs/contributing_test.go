package docs_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

// This is the test that CONTRIBUTING.md shows.
func TestADisallowedPageIsNotFetched(t *testing.T) {
	web := testweb.NewMemory()
	defer web.Close()
	web.Host("shop.test").Robots("User-agent: *\nDisallow: /cart\n")

	guard, err := etiquette.New(etiquette.Policy{UserAgent: "DeclaredBot/1.0 (+https://bot.somewhere.org/about)", Base: web.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	defer guard.Close()
	c := colly.NewCollector()
	if err := guard.Attach(c); err != nil {
		t.Fatal(err)
	}
	_ = c.Visit("http://shop.test/cart")
	if got, want := web.Log(), []string{"GET http://shop.test/robots.txt"}; !slices.Equal(got, want) {
		t.Errorf("the server got %q, want %q", got, want)
	}
}

func TestCONTRIBUTINGShowsATestThatRuns(t *testing.T) {
	this, err := os.ReadFile("contributing_test.go")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, b := range allBlocks(t, "go") {
		if b.page != "CONTRIBUTING.md" {
			continue
		}
		shown++
		if !strings.Contains(string(this), b.code) {
			t.Errorf("%s:%d: the test that is shown is not the one that runs", b.page, b.line)
		}
	}
	if shown != 1 {
		t.Errorf("CONTRIBUTING.md shows %d tests, want one", shown)
	}
}
