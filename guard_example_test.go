package etiquette_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/report"
	"github.com/collyetiquette/etiquette/throttle"
)

// In these examples the web is a small one of their own: names under .test.
func startWeb() *testweb.Web {
	web, err := testweb.Start()
	if err != nil {
		log.Fatal(err)
	}
	return web
}

// The one line, right after NewCollector. Nothing else changes.
func ExampleAttach() {
	web := startWeb()
	defer web.Close()
	web.Host("shop.test").Robots("User-agent: *\nDisallow: /cart\n").Page("/", testweb.Links("/cart"))

	c := colly.NewCollector()
	guard, err := etiquette.Attach(c, "MyDataBot/1.0 (+https://bot.example.com/about; mailto:data@example.com)")
	if err != nil {
		log.Fatal(err)
	}
	defer guard.Close()

	c.OnResponse(func(r *colly.Response) { fmt.Println("fetched", r.Request.URL) })
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	_ = c.Visit("http://shop.test/")

	for _, skip := range guard.Report.Skips() {
		fmt.Println("skipped", skip.URL, "because of", skip.Rule)
	}
	// Output:
	// fetched http://shop.test/
	// skipped http://shop.test/cart because of disallow: /cart
}

// Proxies, the timeout and the cookie jar are set below the one line, as before.
func ExampleAttach_below() {
	web := startWeb()
	defer web.Close()
	web.Host("shop.test").Page("/", "hello")
	proxy, err := web.Proxy()
	if err != nil {
		log.Fatal(err)
	}

	c := colly.NewCollector()
	guard, err := etiquette.Attach(c, "MyDataBot/1.0 (+https://bot.example.com/about; mailto:data@example.com)")
	if err != nil {
		log.Fatal(err)
	}
	defer guard.Close()
	if err := c.SetProxy(proxy.URL().String()); err != nil {
		log.Fatal(err)
	}
	c.SetRequestTimeout(30 * time.Second)
	jar, _ := cookiejar.New(nil)
	c.SetCookieJar(jar)

	fmt.Println(c.Visit("http://shop.test/"))
	for _, line := range proxy.Log() {
		fmt.Println("through the proxy:", line)
	}
	// Output:
	// <nil>
	// through the proxy: GET http://shop.test/robots.txt
	// through the proxy: GET http://shop.test/
}

// A transport of your own goes into Base, not into the collector.
func ExampleNew_base() {
	web := startWeb()
	defer web.Close()
	web.Host("shop.test").Page("/", "hello")

	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 1

	guard, err := etiquette.New(etiquette.Policy{
		UserAgent: "MyDataBot/1.0 (+https://bot.example.com/about; mailto:data@example.com)",
		Base:      transport,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer guard.Close()
	c := colly.NewCollector()
	if err := guard.Attach(c); err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Visit("http://shop.test/"))
	// Output: <nil>
}

// Pace takes the place of c.Limit: the same fields, but each host is paced by itself, and a crawl delay is kept where it is longer.
func ExampleNew_pace() {
	web := startWeb()
	defer web.Close()
	for _, host := range []string{"a.shop.test", "b.shop.test", "own.test"} {
		web.Host(host).Page("/*", "hello")
	}

	guard, err := etiquette.New(etiquette.Policy{
		UserAgent: "MyDataBot/1.0 (+https://bot.example.com/about; mailto:data@example.com)",
		Pace: []throttle.LimitRule{
			{DomainGlob: "*.shop.test", Delay: 200 * time.Millisecond, RandomDelay: 50 * time.Millisecond},
			{DomainGlob: "own.test", Delay: throttle.NoDelay, Parallelism: 4},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer guard.Close()
	c := colly.NewCollector(colly.Async())
	if err := guard.Attach(c); err != nil {
		log.Fatal(err)
	}
	for i := range 3 {
		for _, host := range []string{"a.shop.test", "b.shop.test", "own.test"} {
			_ = c.Visit(fmt.Sprintf("http://%s/%d", host, i))
		}
	}
	c.Wait()
	for _, host := range []string{"a.shop.test", "own.test"} {
		s, _ := guard.Throttle.Snapshot(host)
		fmt.Println(host, s.Interval, s.Source, "gaps too short:", s.ShortGaps)
	}
	// Output:
	// a.shop.test 200ms rule gaps too short: 0
	// own.test 0s rule gaps too short: 0
}

// OnError is told what was not sent, and Requeue asks again at the end for what was refused for a time.
func ExampleGuard_Requeue() {
	web := startWeb()
	defer web.Close()
	web.Host("busy.test").Robots("User-agent: *\nAllow: /\n").Page("/b", "b").Page("/c", "c").
		Answer("/a", testweb.Answer{Status: 429, Header: http.Header{"Retry-After": {"1"}}}, testweb.Answer{Body: "a"})

	guard, err := etiquette.New(etiquette.Policy{
		UserAgent: "MyDataBot/1.0 (+https://bot.example.com/about; mailto:data@example.com)",
		Throttle:  throttle.Options{MaxBlockWait: -1}, // not one waits for the end of a block: it is skipped
		Refusals:  etiquette.RefusalsError,            // and Visit and OnError are told
	})
	if err != nil {
		log.Fatal(err)
	}
	defer guard.Close()
	c := colly.NewCollector()
	if err := guard.Attach(c); err != nil {
		log.Fatal(err)
	}
	c.OnResponse(func(r *colly.Response) { fmt.Println("fetched", r.Request.URL) })
	c.OnError(func(r *colly.Response, err error) {
		if skip, ok := etiquette.Refused(err); ok {
			fmt.Println("not sent:", skip.URL, skip.Reason)
			return
		}
		fmt.Println("failed:", r.Request.URL, err)
	})
	for _, path := range []string{"/a", "/b", "/c"} {
		_ = c.Visit("http://busy.test" + path)
	}
	n, err := guard.Requeue(context.Background(), c, report.RateLimited)
	fmt.Println("asked again:", n, err)
	// Output:
	// failed: http://busy.test/a Too Many Requests
	// not sent: http://busy.test/b rate_limited
	// not sent: http://busy.test/c rate_limited
	// fetched http://busy.test/b
	// fetched http://busy.test/c
	// asked again: 2 <nil>
}

// A team has one file for all its scrapers; code may say what is stricter.
func ExampleReadPolicy() {
	web := startWeb()
	defer web.Close()
	web.Host("shop.test").Page("/*", "hello")
	dir, err := os.MkdirTemp("", "etiquette")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "etiquette.yaml")
	if err := os.WriteFile(path, []byte(`
user_agent: "TeamBot/2.0 (+https://bot.example.com/about; mailto:crawl@example.com)"
pace:
  - domain_glob: shop.test
    delay: 300ms
also_obey: [GPTBot]
take:
  - types: [text/html]
    bytes: 5MB
state_dir: state
`), 0o600); err != nil {
		log.Fatal(err)
	}

	policy, err := etiquette.ReadPolicy(path)
	if err != nil {
		log.Fatal(err)
	}
	policy.Robots.ForbiddenDisallows = true // this scraper is stricter than the team
	for _, sentence := range policy.Lint() {
		fmt.Println(sentence)
	}
	guard, err := etiquette.New(policy)
	if err != nil {
		log.Fatal(err)
	}
	defer guard.Close()
	for _, name := range []string{"prices", "stock"} {
		c := colly.NewCollector()
		if err := guard.Attach(c); err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, c.Visit("http://shop.test/"+name))
	}
	// Output:
	// Policy.Pace[0].Delay: 300ms is less than 1s between requests, which a site that nobody has measured may not bear
	// prices <nil>
	// stock <nil>
}

// A key that is wrong is told with its place, and what would be right.
func ExampleReadPolicy_wrong() {
	dir, err := os.MkdirTemp("", "etiquette")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "etiquette.yaml")
	if err := os.WriteFile(path, []byte("pace:\n  - domain_glob: shop.test\n    dealy: 2s\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	_, err = etiquette.ReadPolicy(path)
	var wrong *etiquette.PolicyError
	if errors.As(err, &wrong) {
		fmt.Printf("line %d, column %d: %s: %s\n", wrong.Line, wrong.Column, wrong.Key, wrong.Text)
	}
	// Output: line 3, column 5: pace[0]: the key "dealy" is not known: did you mean "delay"?
}

// A frontier stands in front of the storage of Colly's queue, Redis say, and hands out a URL when its host may be asked: a slow host holds up no other.
func ExampleGuard_NewFrontier() {
	web := startWeb()
	defer web.Close()
	web.Host("slow.test").Robots("User-agent: *\nCrawl-delay: 1\n").Page("/*", "hello")
	web.Host("fast.test").Page("/*", "hello")

	guard, err := etiquette.New(etiquette.Policy{
		UserAgent: "MyDataBot/1.0 (+https://bot.example.com/about; mailto:data@example.com)",
		Pace:      []throttle.LimitRule{{Delay: 100 * time.Millisecond}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer guard.Close()
	c := colly.NewCollector()
	if err := guard.Attach(c); err != nil {
		log.Fatal(err)
	}
	frontier := guard.NewFrontier(&queue.InMemoryQueueStorage{MaxSize: 10_000})
	q, err := queue.New(2, frontier)
	if err != nil {
		log.Fatal(err)
	}
	for _, u := range []string{"http://slow.test/1", "http://slow.test/2", "http://slow.test/3", "http://fast.test/1", "http://fast.test/2"} {
		_ = q.AddURL(u)
	}
	if err := frontier.Run(context.Background(), c, 2); err != nil { // in place of q.Run(c)
		log.Fatal(err)
	}
	log := web.LogOf("slow.test")
	fmt.Println(len(log), "requests to slow.test, the last one after fast.test was done:", web.Log()[len(web.Log())-1] == log[len(log)-1])
	// Output: 4 requests to slow.test, the last one after fast.test was done: true
}

// A host whose owner asks for it is stopped at once, for every collector, clone, client and queue of the Guard.
func ExampleGuard_stop() {
	web := startWeb()
	defer web.Close()
	web.Host("shop.test").Page("/*", "hello")

	c := colly.NewCollector()
	guard, err := etiquette.Attach(c, "MyDataBot/1.0 (+https://bot.example.com/about; mailto:data@example.com)")
	if err != nil {
		log.Fatal(err)
	}
	defer guard.Close()
	id, err := guard.KillSwitch.Stop(killswitch.Rule{Domain: "shop.test", Reason: "the owner asked by mail", Ticket: "OPS-4411"})
	if err != nil {
		log.Fatal(err)
	}
	_ = c.Visit("http://shop.test/")
	for _, skip := range guard.Report.Skips() {
		fmt.Println(skip.URL, skip.Reason+":", skip.Detail)
	}
	if err := guard.KillSwitch.Lift(id, "the owner wrote again"); err != nil {
		log.Fatal(err)
	}
	n, err := guard.Requeue(context.Background(), c, report.Stopped)
	fmt.Println("asked again:", n, err)
	// Output:
	// http://shop.test/ stopped: the owner asked by mail (OPS-4411)
	// asked again: 1 <nil>
}

// A plain client shares the pace of each host, the rules and the stops with the collectors.
func ExampleGuard_Transport() {
	web := startWeb()
	defer web.Close()
	web.Host("shop.test").Robots("User-agent: *\nDisallow: /cart\n").Page("/", "hello")

	guard, err := etiquette.New(etiquette.Policy{UserAgent: "MyDataBot/1.0 (+https://bot.example.com/about; mailto:data@example.com)"})
	if err != nil {
		log.Fatal(err)
	}
	defer guard.Close()
	client := &http.Client{Transport: guard.Transport(nil)}
	resp, err := client.Get("http://shop.test/")
	if err != nil {
		log.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	fmt.Printf("%s\n", body)
	_, err = client.Get("http://shop.test/cart")
	skip, refused := etiquette.Refused(err)
	fmt.Println(refused, skip.Reason, skip.Rule)
	// Output:
	// hello
	// true robots_disallowed disallow: /cart
}
