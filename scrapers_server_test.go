package etiquette_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

// linkCounter is a server that visits the page that it is asked about and answers with its links: a collector for each of its requests. Its line
// is the Guard's, made once: what is paced is the host, whoever asks the server.
func linkCounter(attach func(*colly.Collector)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := struct {
			URL    string
			Status int
			Links  map[string]int
		}{URL: r.URL.Query().Get("url"), Links: make(map[string]int)}
		c := colly.NewCollector()
		attach(c)
		c.OnHTML("a[href]", func(e *colly.HTMLElement) { page.Links[e.Request.AbsoluteURL(e.Attr("href"))]++ })
		c.OnResponse(func(r *colly.Response) { page.Status = r.StatusCode })
		c.OnError(func(r *colly.Response, _ error) { page.Status = r.StatusCode })
		_ = c.Visit(page.URL)
		_ = json.NewEncoder(w).Encode(page)
	})
}

func TestAScraperServerFindsTheSameAndBreaksNoRule(t *testing.T) {
	setUp := func(web *testweb.Web) {
		disallowing(web, "docs.test").Page("/", testweb.Links("/a", "/a", "/b")).Page("/a", testweb.Links("/"))
		disallowing(web, "wiki.test").Page("/", testweb.Links("http://docs.test/"))
	}
	runBothWays(t, setUp, nil, func(t *testing.T, attach func(*colly.Collector)) []string {
		server := linkCounter(attach)
		var mu sync.Mutex
		var answers []string
		ask := func(page string, isData bool) {
			w := httptest.NewRecorder()
			server.ServeHTTP(w, httptest.NewRequest("GET", "/?url="+url.QueryEscape(page), nil))
			mu.Lock()
			defer mu.Unlock()
			if isData {
				answers = append(answers, w.Body.String())
			}
		}
		var at sync.WaitGroup // several clients at the same time, for the same hosts
		for _, page := range []string{"http://docs.test/", "http://docs.test/a", "http://docs.test/missing", "http://wiki.test/", "http://docs.test/"} {
			at.Go(func() { ask(page, true) })
		}
		at.Go(func() { ask("http://docs.test/trap/1", false) })
		at.Wait()
		ask("http://docs.test/a", true)
		ask("http://wiki.test/trap/2", false)
		return sorted(answers)
	})
}
