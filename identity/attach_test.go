package identity

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func TestAttachSetsTheUserAgentAndDoesNotWriteToTheUsersHeaders(t *testing.T) {
	c := colly.NewCollector()
	users := http.Header{"Accept-Language": {"en"}}
	c.Headers = &users
	id, err := Attach(c, good)
	if err != nil {
		t.Fatalf("Attach = %v, want nil", err)
	}
	if got := c.UserAgent; got != good || id.UserAgent() != good {
		t.Errorf("c.UserAgent = %q, id.UserAgent() = %q, want %q", got, id.UserAgent(), good)
	}
	if len(users) != 1 {
		t.Errorf("the user's map is now %v", users)
	}
	if got := c.Headers.Get("From") + c.Headers.Get("Accept-Language"); got != "c@acme.deven" {
		t.Errorf("c.Headers = %v, want From and Accept-Language", c.Headers)
	}
}

func TestACollectorWhoseAttachFailedSendsNothingAndSaysWhy(t *testing.T) {
	web, err := testweb.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	web.Host("shop.test").Page("/*", "")
	c := colly.NewCollector()
	id, err := Attach(c, chrome)
	var bad *InvalidError
	if id != nil || !errors.As(err, &bad) || !strings.Contains(codes(bad.Problems), CodeBrowser) {
		t.Fatalf("Attach(a browser's) = %v, %v, want an *InvalidError with %s", id, err, CodeBrowser)
	}
	for _, u := range []string{"http://shop.test/a", "http://shop.test/b"} {
		if got := c.Visit(u); !errors.As(got, &bad) {
			t.Errorf("Visit(%s) = %v, want the error of Attach within", u, got)
		}
	}
	wantNames(t, web)
	if _, err := Attach(c, good); err != nil {
		t.Fatalf("Attach with a good one after that = %v, want nil", err)
	}
	if err := c.Visit("http://shop.test/c"); err != nil {
		t.Errorf("Visit = %v, want nil", err)
	}
	wantNames(t, web, goodNames)
}

func TestASecondAttach(t *testing.T) {
	c := colly.NewCollector()
	first, err := Attach(c, good)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Attach(c, good); again != first || err != nil {
		t.Errorf("Attach of the same = %p, %v, want the first, %p", again, err, first)
	}
	if err := mustNewLike(t, first).Attach(c); err != nil {
		t.Errorf("Attach of an equal identity = %v, want nil", err)
	}
	for _, o := range []Options{
		{UserAgent: "OtherBot/1.0 (c@acme.dev)"}, {UserAgent: good, Mode: Refuse}, {UserAgent: good, OnSkip: func(*colly.Request, report.Skip) {}},
	} {
		err := mustNew(t, o).Attach(c)
		var taken *chain.TakenError
		if !errors.As(err, &taken) {
			t.Errorf("Attach with %+v = %v, want that the place is taken", o, err)
		}
	}
	if _, err := Attach(c, chrome); err == nil {
		t.Error("Attach of a browser's = nil, want an error")
	}
	if got := c.UserAgent; got != good {
		t.Errorf("c.UserAgent = %q, want the first, %q", got, good)
	}
	if got, want := chain.Of(c).Layer(chain.Identity), chain.Layer(first.layer); got != want {
		t.Errorf("the layer in force is %v, want the first", got)
	}
}

func mustNewLike(t *testing.T, id *Identity) *Identity {
	t.Helper()
	like, err := New(id.options)
	if err != nil {
		t.Fatal(err)
	}
	return like
}

func TestAttachOnACloneAddsOnlyTheCallbacks(t *testing.T) {
	web := memory(t)
	web.Host("shop.test").Page("/*", "")
	c, id := attached(t, web, Options{UserAgent: good, Mode: Refuse})
	clone := c.Clone()
	if err := id.Attach(clone); err != nil {
		t.Fatal(err)
	}
	var told *colly.Request
	other, _ := attached(t, web, Options{UserAgent: good, Mode: Refuse, OnSkip: func(r *colly.Request, _ report.Skip) { told = r }})
	child := other.Clone()
	if _, err := chain.Attach(child, chain.Config{}); err != nil {
		t.Fatal(err)
	}
	child.OnRequest(func(r *colly.Request) { r.Headers.Set("User-Agent", chrome) })
	wantRefused(t, child.Visit("http://shop.test/b"), CodeMismatch)
	if told == nil {
		t.Error("OnSkip got no request from an attached clone")
	}
	if err := clone.Visit("http://shop.test/a"); err != nil {
		t.Errorf("Visit of a clone = %v, want nil", err)
	}
	wantNames(t, web, goodNames)
}

func TestAttachOfNoCollectorIsAnError(t *testing.T) {
	if _, err := Attach(nil, good); err == nil {
		t.Error("Attach(nil, good) = nil, want an error")
	}
	if _, err := Attach(nil, ""); err == nil {
		t.Error("Attach(nil, \"\") = nil, want an error")
	}
}
