package etiquette_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

// Scrapers that follow links: see scrapers_helpers_test.go.

func TestABasicScraperFindsTheSameAndBreaksNoRule(t *testing.T) {
	setUp := func(web *testweb.Web) {
		disallowing(web, "docs.test").
			Page("/", article("docs", "/install", "/old", "/trap/admin", "http://elsewhere.test/", "http://wiki.docs.test/")).
			Page("/install", article("install", "/", "/install?lang=de", "/away")).
			Page("/install?lang=de", article("einrichten")).
			Answer("/old", testweb.Answer{Redirect: "/new"}).
			Answer("/away", testweb.Answer{Redirect: "/trap/hop"}).
			Page("/new", article("new"))
		disallowing(web, "wiki.docs.test").Page("/", article("wiki", "/trap/edit", "http://docs.test/"))
		web.Host("elsewhere.test").Page("/", article("never visited"))
	}
	runBothWays(t, setUp, nil, func(t *testing.T, attach func(*colly.Collector)) (titles []string) {
		c := colly.NewCollector(colly.AllowedDomains("docs.test", "wiki.docs.test"))
		attach(c)
		c.OnHTML("h1", func(e *colly.HTMLElement) { titles = append(titles, e.Request.URL.String()+": "+e.Text) })
		c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = c.Visit(e.Request.AbsoluteURL(e.Attr("href"))) })
		if err := c.Visit("http://docs.test/"); err != nil {
			t.Errorf("Visit = %v", err)
		}
		return titles
	})
}

func TestAnAsyncScraperWithALimitRuleFindsTheSameAndBreaksNoRule(t *testing.T) {
	hosts := []string{"one.test", "two.test", "slow.test"}
	setUp := func(web *testweb.Web) {
		for _, host := range hosts {
			site := disallowing(web, host).Page("/", article(host, "/0", "/1", "/2", "/trap/1", "/trap/2"))
			for i := range 3 {
				site.Page(fmt.Sprintf("/%d", i), article(fmt.Sprintf("%s %d", host, i), fmt.Sprintf("/%d/deep", i), "/")).
					Page(fmt.Sprintf("/%d/deep", i), article(fmt.Sprintf("%s %d deep", host, i)))
			}
		}
		web.Host("slow.test").Robots("User-agent: *\nCrawl-delay: 3\nDisallow: /trap\n")
	}
	runBothWays(t, setUp, pace{"slow.test": 3 * time.Second}, func(t *testing.T, attach func(*colly.Collector)) []string {
		c := colly.NewCollector(colly.Async(), colly.MaxDepth(3))
		attach(c)
		if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: 4, RandomDelay: 50 * time.Millisecond}); err != nil {
			t.Errorf("Limit = %v", err)
		}
		var mu sync.Mutex
		var titles []string
		c.OnHTML("h1", func(e *colly.HTMLElement) {
			mu.Lock()
			defer mu.Unlock()
			titles = append(titles, e.Text)
		})
		c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
		for _, host := range hosts {
			if err := c.Visit("http://" + host + "/"); err != nil {
				t.Errorf("Visit = %v", err)
			}
		}
		c.Wait()
		return sorted(titles)
	})
}

func TestAQueueFindsTheSameAndBreaksNoRule(t *testing.T) {
	const pages = 6
	setUp := func(web *testweb.Web) {
		list := disallowing(web, "list.test")
		for i := 1; i <= pages; i++ {
			list.Page(fmt.Sprintf("/list?page=%d", i), article(fmt.Sprintf("page %d", i), fmt.Sprintf("/list?page=%d", i+1), fmt.Sprintf("/trap/vote?page=%d", i)))
		}
		disallowing(web, "news.test").Page("/", article("news", "/trap/"))
	}
	runBothWays(t, setUp, nil, func(t *testing.T, attach func(*colly.Collector)) []string {
		c := colly.NewCollector()
		attach(c)
		q, err := queue.New(2, &queue.InMemoryQueueStorage{MaxSize: 1000})
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var titles []string
		c.OnHTML("h1", func(e *colly.HTMLElement) {
			mu.Lock()
			defer mu.Unlock()
			titles = append(titles, e.Text)
		})
		c.OnHTML("a[href]", func(e *colly.HTMLElement) {
			if r, err := e.Request.New("GET", e.Request.AbsoluteURL(e.Attr("href")), nil); err == nil {
				_ = q.AddRequest(r)
			}
		})
		for _, u := range []string{"http://list.test/list?page=1", "http://news.test/"} {
			if err := q.AddURL(u); err != nil {
				t.Errorf("AddURL(%q) = %v", u, err)
			}
		}
		if err := q.Run(c); err != nil {
			t.Errorf("Run = %v", err)
		}
		return sorted(titles)
	})
}

func TestClonesForDetailPagesFindTheSameAndBreakNoRule(t *testing.T) {
	setUp := func(web *testweb.Web) {
		catalogue := disallowing(web, "shop.test").
			Page("/", testweb.Links("/?page=2", "/item/1", "/item/2", "/trap/item/3")).
			Page("/?page=2", testweb.Links("/item/4", "/moved", "/trap/item/5"))
		for _, i := range []int{1, 2, 4} {
			catalogue.Page(fmt.Sprintf("/item/%d", i), fmt.Sprintf("<h1>item %d</h1><p class=price>%d0</p>", i, i))
		}
		// On another host, which the detail pages are the first to lead to.
		catalogue.Answer("/moved", testweb.Answer{Redirect: "http://outlet.test/item/9"})
		disallowing(web, "outlet.test").Page("/item/9", "<h1>item 9</h1><p class=price>1</p>")
	}
	runBothWays(t, setUp, nil, func(t *testing.T, attach func(*colly.Collector)) (items []string) {
		list := colly.NewCollector()
		attach(list)
		detail := list.Clone()
		list.OnHTML("a[href]", func(e *colly.HTMLElement) {
			if e.Attr("href") == "/?page=2" {
				_ = e.Request.Visit("/?page=2")
				return
			}
			_ = detail.Visit(e.Request.AbsoluteURL(e.Attr("href")))
		})
		detail.OnHTML("html", func(e *colly.HTMLElement) {
			if price := e.ChildText("p.price"); price != "" {
				items = append(items, e.ChildText("h1")+" for "+price)
			}
		})
		if err := list.Visit("http://shop.test/"); err != nil {
			t.Errorf("Visit = %v", err)
		}
		return items
	})
}
