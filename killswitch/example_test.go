package killswitch_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/report"
)

// One line after NewCollector: what the stop file says is not asked, from within a second on.
func ExampleAttach() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "stop.json")
	_ = os.WriteFile(path, []byte(`{"version": 1, "rules": [
	  {"id": "ks-0017", "domain": "shop.example", "reason": "the owner asked by mail", "ticket": "OPS-4411"}]}`), 0o600)

	c := colly.NewCollector()
	sw, err := killswitch.Attach(c, path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer sw.Close()

	u, _ := url.Parse("https://www.shop.example/offers")
	rule, stopped := sw.Check(u)
	fmt.Println(stopped, rule.ID, rule.Scope())
	// Output: true ks-0017 domain shop.example
}

func ExampleSwitch_Stop() {
	web := testweb.NewMemory()
	defer web.Close()
	web.Host("shop.test").Page("*", "an offer")

	sw, _ := killswitch.New(killswitch.Options{
		Base:   web.Transport(),
		Logger: slog.New(slog.DiscardHandler),
		OnSkip: func(_ *colly.Request, s report.Skip) { fmt.Println("skipped", s.URL, s.Reason) },
	})
	defer sw.Close()
	c := colly.NewCollector()
	if err := sw.Attach(c); err != nil {
		fmt.Println(err)
		return
	}
	c.OnResponse(func(r *colly.Response) { fmt.Println("fetched", r.Request.URL) })

	_ = c.Visit("http://shop.test/1")
	id, _ := sw.Stop(killswitch.Rule{Host: "shop.test", Reason: "the owner asked by mail", Ticket: "OPS-4411"})
	_ = c.Visit("http://shop.test/2")
	_ = sw.Lift(id, "the owner agreed")
	_ = c.Visit("http://shop.test/3")
	// Output:
	// fetched http://shop.test/1
	// skipped http://shop.test/2 stopped
	// fetched http://shop.test/3
}

func ExampleSwitch_Transport() {
	sw, _ := killswitch.New(killswitch.Options{Logger: slog.New(slog.DiscardHandler)})
	defer sw.Close()
	_, _ = sw.Stop(killswitch.Rule{ID: "ks-1", Domain: "example", Reason: "asked"})

	client := &http.Client{Transport: sw.Transport(nil)}
	_, err := client.Get("https://shop.example/")
	var e *killswitch.Error
	fmt.Println(errors.Is(err, killswitch.ErrStopped), errors.As(err, &e), e.Rule.ID)
	// Output: true true ks-1
}

func ExampleSwitch_FilterStorage() {
	sw, _ := killswitch.New(killswitch.Options{Logger: slog.New(slog.DiscardHandler)})
	defer sw.Close()
	q, _ := queue.New(2, sw.FilterStorage(&queue.InMemoryQueueStorage{MaxSize: 10_000}))
	_ = q.AddURL("http://shop.test/1")
	_ = q.AddURL("http://wiki.test/1")
	_, _ = sw.Stop(killswitch.Rule{Host: "shop.test", Reason: "asked"})
	n, _ := q.Size()
	fmt.Println(n)
	// Output: 1
}

// The admin endpoint on loopback; another address needs TLS.
func ExampleSwitch_Handler() {
	sw, _ := killswitch.New(killswitch.Options{StateDir: "state", TokenFile: "token"})
	defer os.RemoveAll("state")
	defer sw.Close()
	srv := &http.Server{Addr: "127.0.0.1:8629", Handler: sw.Handler()}
	go srv.ListenAndServe()
	srv.Close()
}
