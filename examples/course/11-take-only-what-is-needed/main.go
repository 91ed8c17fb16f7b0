// Lesson 11: take only what you need, of files and of people.
//
//	go run ./examples/course/11-take-only-what-is-needed
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/examples/course/internal/lesson"
	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/throttle"
)

const offer = `<div class="offer"><h2>Green tea</h2><b class="price">4.50</b>
<p class="seller">Ada Example, <a href="mailto:ada@mail.example">ada@mail.example</a></p>
<a href="/media?id=7">See it growing</a></div>`

func main() { lesson.Run(teach) }

func teach(out io.Writer, web *testweb.Web) error {
	film := make(film, 1)
	web.Host("shop.test").Page("/", offer).Handle("/media", film.ServeHTTP)

	plain := colly.NewCollector(colly.UserAgent(lesson.Agent))
	plain.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	fmt.Fprintln(out, "Plain Colly keeps:")
	plain.OnHTML(".offer", func(e *colly.HTMLElement) { keep(out, strings.Join(strings.Fields(e.Text), " ")) })
	if err := plain.Visit("http://shop.test/"); err != nil {
		return err
	}
	fmt.Fprintf(out, "  %s\n", film)

	guard, err := etiquette.New(etiquette.Policy{
		UserAgent: lesson.Agent,
		Take:      []etiquette.Take{{Types: []string{"text/html"}, Bytes: 10 << 20}},     // pages, of ten megabytes at most
		Pace:      []throttle.LimitRule{{DomainGlob: "*.test", Delay: time.Second / 10}}, // this shop is on your own machine; leave it out for the world
	})
	if err != nil {
		return err
	}
	defer guard.Close()
	polite := colly.NewCollector()
	if err := guard.Attach(polite); err != nil {
		return err
	}
	polite.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	fmt.Fprintln(out, "\nWith a Take in the policy, and a program that knows what it is for:")
	polite.OnHTML(".offer", func(e *colly.HTMLElement) {
		keep(out, struct{ Title, Price string }{e.ChildText("h2"), e.ChildText(".price")})
	})
	if err := polite.Visit("http://shop.test/"); err != nil {
		return err
	}
	fmt.Fprintf(out, "  %s\n", film)
	for _, s := range guard.Report.Skips() {
		fmt.Fprintf(out, "  %s  %s: %s\n", s.URL, s.Reason, s.Detail)
	}
	return nil
}

// keep is where a program would write into its database.
func keep(out io.Writer, record any) {
	text, _ := json.Marshal(record) // a record of strings can always be written
	fmt.Fprintf(out, "  %s\n", text)
}

// film is a large file. Each time it was asked for, it tells how much of it could be sent.
type film chan int

const filmBytes = 8 << 20

func (f film) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	sent := 0
	defer func() { f <- sent }()
	w.Header().Set("Content-Type", "video/mp4")
	w.Header().Set("Content-Length", fmt.Sprint(filmBytes))
	piece := make([]byte, 64<<10)
	for range filmBytes / len(piece) {
		n, err := w.Write(piece)
		sent += n
		if err != nil {
			return // who asked for it has gone
		}
	}
}

func (f film) String() string {
	if sent := <-f; sent < filmBytes {
		return "the film was broken off"
	}
	return "the film was sent, all 8 MB"
}
