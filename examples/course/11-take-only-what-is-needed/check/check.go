// Package check judges the task of lesson 11.
package check

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/collyetiquette/etiquette/examples/course/internal/exam"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

// article is an offer with more in it than is needed.
const article = `<div class="offer"><h2>%s</h2><span class="price">%s</span><img src="/photo.jpg">
<p>Sold by Grace Example, call 0123-456789 or write to <a href="mailto:grace@mail.example">grace@mail.example</a></p></div>`

// Offers fails unless offers keeps titles and prices, nothing of the sellers, and takes no files but pages.
func Offers(t *testing.T, offers func(start string) (kept []string, err error)) {
	exam.Web(t, func(t *testing.T, web *testweb.Web) {
		film := &film{}
		web.Host("market.test").Robots("User-agent: *\nDisallow: /sellers/\n").
			Page("/", fmt.Sprintf(article, "Green tea", "4.50")+testweb.Links("/page/2", "/media?id=7", "/sellers/grace")).
			Page("/page/2", fmt.Sprintf(article, "Black tea", "3.20")+fmt.Sprintf(article, "A cup", "7.00")).
			Page("/sellers/grace", fmt.Sprintf(article, "Grace", "0")).
			Answer("/photo.jpg", testweb.Answer{Body: "\xff\xd8 a picture", Header: http.Header{"Content-Type": {"image/jpeg"}}}).
			Handle("/media", film.ServeHTTP)

		kept, err := offers("http://market.test/")
		synctest.Wait()
		if err != nil {
			t.Errorf("Offers returned the error %v, want none", err)
		}
		var got []string
		for _, line := range kept {
			got = append(got, judge(t, line))
		}
		exam.SameSet(t, "title and price of the offers", got, []string{"Green tea 4.50", "Black tea 3.20", "A cup 7.00"})
		if web.Count("GET http://market.test/photo.jpg") > 0 {
			t.Error("/photo.jpg was asked for: an <img> is a picture, and prices need none")
		}
		if web.Count("GET http://market.test/sellers/grace") > 0 {
			t.Error("/sellers/grace was asked for: robots.txt disallows it")
		}
		if sent := film.sent.Load(); sent > filmBytes/2 {
			t.Errorf("/media?id=7 turned out to be a film, and %d MB of it were taken, want that it is broken off: see Policy.Take", sent>>20)
		}
	})
}

// judge fails for what a line should not hold, and returns its title and price.
func judge(t *testing.T, line string) string {
	t.Helper()
	var offer map[string]string
	if err := json.Unmarshal([]byte(line), &offer); err != nil {
		t.Errorf("%q is no line of JSON with texts in it: %v", line, err)
		return line
	}
	for key := range offer {
		if key != "title" && key != "price" {
			t.Errorf("a field %q is kept, want title and price alone", key)
		}
	}
	for what, text := range map[string]string{"the seller's name": "Grace", "an email address": "@", "a telephone number": "0123-456789"} {
		if strings.Contains(line, text) {
			t.Errorf("%s is kept: in %s", what, line)
		}
	}
	return offer["title"] + " " + offer["price"]
}

// film is a large file. It counts what was really sent of it.
type film struct{ sent atomic.Int64 }

const filmBytes = 8 << 20

func (f *film) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "video/mp4")
	piece := make([]byte, 64<<10)
	for range filmBytes / len(piece) {
		n, err := w.Write(piece)
		f.sent.Add(int64(n))
		if err != nil {
			return
		}
	}
}
