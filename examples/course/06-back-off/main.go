// Lesson 6: back off when a site says that it is too much.
//
//	go run ./examples/course/06-back-off
package main

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/examples/course/internal/lesson"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/throttle"
)

func main() { lesson.Run(teach) }

func teach(out io.Writer, web *testweb.Web) error {
	plain := colly.NewCollector(colly.UserAgent(lesson.Agent))
	tries := 0
	plain.OnError(func(r *colly.Response, _ error) {
		if tries++; tries < 5 { // many programs do not even count
			_ = r.Request.Retry()
		}
	})
	fmt.Fprintln(out, "Plain Colly, with Retry in OnError as many programs have it:")
	crawl(out, web, plain)

	polite := colly.NewCollector(colly.UserAgent(lesson.Agent))
	paces, err := throttle.New(throttle.Options{
		Rules:   []throttle.LimitRule{{Delay: throttle.NoDelay}}, // so that you see the block alone; leave this line out in a crawler of your own
		Retries: 1,                                               // what was answered with 429 or 503 is asked once more, after the block
	})
	if err != nil {
		return err
	}
	defer paces.Close()
	if err := paces.Attach(polite); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nWith throttle:")
	crawl(out, web, polite)
	return nil
}

// crawl asks a busy shop for three pages, and shows when the requests arrived and how they were answered.
func crawl(out io.Writer, web *testweb.Web, c *colly.Collector) {
	web.Reset()
	shop := &busyShop{}
	web.Host("busy.test").Handle("/*", shop.ServeHTTP)
	for i := range 3 {
		_ = c.Visit(fmt.Sprintf("http://busy.test/%d", i+1))
	}
	hits := web.Hits()
	for i, hit := range hits {
		fmt.Fprintf(out, "  %s  %s later: %d\n", hit, lesson.Gap(hit.Time.Sub(hits[max(i-1, 0)].Time)), shop.answers[i])
	}
}

// busyShop has too much to do when the second request comes. It asks to be left alone for two seconds, and answers nothing else until it was.
type busyShop struct {
	mu      sync.Mutex
	answers []int // the status codes that it sent
	until   time.Time
}

func (s *busyShop) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	status, now := http.StatusOK, time.Now()
	if len(s.answers) == 1 || now.Before(s.until) {
		status, s.until = http.StatusTooManyRequests, now.Add(2*time.Second)
		w.Header().Set("Retry-After", "2")
	}
	s.answers = append(s.answers, status)
	w.WriteHeader(status)
}
