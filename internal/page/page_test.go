package page_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

// every page, by a path that shows it.
var every = []string{"/", "/?state=waiting&q=e&sort=waiting", "/host?name=shop.test", "/host?name=never.test", "/host?name=", "/skips", "/stops", "/ask", "/ask?url=shop.test/cart", "/ask?url=::"}

// rowOf is the part of the list that is about a host, without its markup.
func rowOf(t testing.TB, a answer, host string) string {
	t.Helper()
	_, rest, ok := strings.Cut(a.body, `<tr id="h-`+host+`">`)
	if !ok {
		t.Fatalf("no row for %s in:\n%s", host, a.body)
	}
	row, _, _ := strings.Cut(rest, "</tr>")
	return strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(row, " ")), " ")
}

func TestEachHostIsShownWithItsStateAndWhatItWaitsFor(t *testing.T) {
	w := newWorld(t)
	w.crawlOfMany()
	a := w.get("/")
	for host, want := range map[string]string{
		"asked-us-to-stop.test": `^asked-us-to-stop\.test stopped the owner asked by mail 1s default 0 not by itself unavailable 2 0$`,
		"busy.test":             `^busy\.test blocked it answered 429 1s default 4 in [34]m \d+s rules 2 0$`,
		"down.test":             `^down\.test blocked it answered 503 0 in \d+s unreachable 1 2$`,
		"library.test":          `^library\.test waiting 20s Crawl-delay 4 (in \d+s|now) rules 1 1$`,
		"monastery.test":        `^monastery\.test parked its crawl delay is longer than this crawl accepts 1h 0m Crawl-delay 0 in 23h \d+m rules 1 2$`,
		"museum.test":           `^museum\.test quiet 1s default 0 – unavailable 3 0$`,
		"shop.test":             `^shop\.test active 2s Crawl-delay 4 \+ 1 under way (in \d+s|when one ends) rules 2 2$`,
	} {
		if got := rowOf(t, a, host); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("the row is %q, want %s", got, want)
		}
	}
	blocked := w.get("/?state=blocked")
	rowOf(t, blocked, "busy.test")
	rowOf(t, blocked, "down.test")
	blocked.lacks(t, `id="h-shop.test"`)

	shop := w.get("/host?name=shop.test")
	shop.has(t, "2s, Crawl-delay", "disallow: /account", "Our rules are those for DeclaredBot", `<li class="ours"><span class="no">8</span><code>Disallow: /cart</code></li>`,
		`<li><span class="no">13</span><code>Disallow: /search</code></li>`)
	w.get("/host?name=down.test").has(t, "<b>unreachable</b>", "503")
	w.get("/host?name=news.test").has(t, "train-ai=n")
	w.get("/host?name=never.test").has(t, "No request was sent to this host yet")
	w.get("/skips?q=monastery").has(t, "crawl_delay_too_long", "http://monastery.test/a", "again in")
}

func TestTenThousandHostsArePagedAndFilteredOnTheServer(t *testing.T) {
	w := newWorld(t)
	for i := range 10_000 {
		host := fmt.Sprintf("h%04d.test", i)
		w.guard.Report.Sent(report.Request{Host: host, Interval: time.Second, Source: report.FromDefault})
		if i%1000 == 0 {
			w.guard.Report.Sent(report.Request{Host: host, Interval: time.Second, Source: report.FromDefault})
			w.guard.Report.Hold(host, report.Hold{Reason: report.AccessDenied})
		}
	}
	rows := func(a answer) int { return strings.Count(a.body, `<tr id="h-`) }
	start := time.Now()
	first := w.get("/")
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("the list took %s", took)
	}
	if got, most := len(first.body), 100_000; rows(first) != 50 || got > most {
		t.Errorf("%d rows in %d bytes, want 50 in %d at most", rows(first), got, most)
	}
	first.has(t, "1 to 50 of 10,000", `href="./?page=2"`, "<dd>10,000</dd>", "h0049.test")
	last := w.get("/?page=200")
	last.has(t, "9,951 to 10,000 of 10,000", "h9999.test", `href="./?page=199"`)
	if far := w.get("/?page=9999999999999999999"); rows(far) != 50 {
		t.Errorf("a page that is too far has %d rows, want those of the last", rows(far))
	}
	named := w.get("/?q=H00")
	named.has(t, "1 to 50 of 100", `href="./?page=2&amp;q=H00"`, `value="H00"`)
	few := w.get("/?q=h0&state=parked")
	if rows(few) != 1 {
		t.Errorf("%d rows, want the one that is parked", rows(few))
	}
	few.has(t, `id="h-h0000.test"`, `href="./?q=h0&amp;state=active"`, `href="./?q=h0"`)
	if sorted := w.get("/?sort=requests"); !strings.HasPrefix(rowOf(t, sorted, "h9000.test"), "h9000.test") {
		t.Error("the busiest are not on the first page")
	}
	w.get("/?q=nothing").has(t, "No host like that")
	for _, odd := range []string{"/?page=-1", "/?page=x", "/?state=x", "/?sort=x", "/?q=" + strings.Repeat("h", 5000), "/?q=%00%ff"} {
		if a := w.get(odd); a.status != http.StatusOK || len(a.body) > 100_000 {
			t.Errorf("%.40s = %d with %d bytes, want 200 and a short page", odd, a.status, len(a.body))
		}
	}
}

func TestEveryPageLetsTheBrowserLoadNothingButItsOwn(t *testing.T) {
	w := newWorld(t)
	w.crawlOfMany()
	for _, path := range append(every, "/page.css", "/page.js", "/icon.svg") {
		a := w.get(path)
		csp := a.header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"} {
			if !strings.Contains(csp, part) {
				t.Errorf("%s: Content-Security-Policy %q lacks %q", path, csp, part)
			}
		}
		if strings.Contains(csp, "unsafe") {
			t.Errorf("%s: Content-Security-Policy %q", path, csp)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "Cross-Origin-Opener-Policy": "same-origin"} {
			if got := a.header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			continue
		}
		for _, tag := range regexp.MustCompile(`<[^>]+>`).FindAllString(a.body, -1) {
			if regexp.MustCompile(`(?i)\s(style|on[a-z]+)\s*=|^<style|(src|href|action)="(https?:|//)`).MatchString(tag) {
				t.Errorf("%s: %s", path, tag)
			}
		}
		if regexp.MustCompile(`(?i)<script[^>]*>[^<]`).MatchString(a.body) {
			t.Errorf("%s has a script of its own", path)
		}
	}
}

func TestWhatStrangersWroteIsShownAsText(t *testing.T) {
	w := newWorld(t)
	nasty := "<script>alert</script>"
	w.web.Host("evil.test").Robots("User-agent: *\nDisallow: /"+nasty+"\n# "+nasty+" \u202e\x1b[31m\x00\xff "+strings.Repeat("a", 5000)+"\nContent-Usage: train-ai=n;"+nasty+"\n").
		Page("/*", nasty)
	c := w.collector()
	_ = c.Visit("http://evil.test/")
	_ = c.Visit("http://evil.test/" + nasty + "?q=\"><img/src=x>&token=secret")
	paths := []string{"/", "/skips", "/host?name=evil.test", "/host?name=" + url.QueryEscape("evil.test/"+nasty), "/host?name=" + url.QueryEscape(nasty),
		"/skips?q=" + url.QueryEscape(`"><`+nasty), "/?q=" + url.QueryEscape(`"><`+nasty), "/skips?reason=" + url.QueryEscape(`"><`+nasty), "/stops?q=" + url.QueryEscape(`"><`+nasty),
		"/ask?url=" + url.QueryEscape("http://evil.test/"+nasty), "/ask?url=" + url.QueryEscape(`"><`+nasty)}
	for _, path := range paths {
		a := w.get(path)
		a.lacks(t, "<script>", "<img", "\u202e", "\x1b", "\x00", "secret")
		if len(a.body) > 100_000 {
			t.Errorf("%s has %d bytes", path, len(a.body))
		}
	}
	w.get("/ask?url="+url.QueryEscape("http://evil.test/"+nasty)).has(t, "No: disallowed by line 2", "&lt;script&gt;alert")
	said := w.post("/stop", url.Values{"scope": {"host"}, "name": {nasty}, "reason": {`"><` + nasty}, "token": {token}})
	said.lacks(t, "<script>", token)
	said.has(t, "Not stopped: ")
	if said.status != http.StatusBadRequest {
		t.Errorf("a host that is none = %d, want 400", said.status)
	}
}

func TestALongRobotsTxtIsCutToWhatConcernsUs(t *testing.T) {
	w := newWorld(t)
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "User-agent: Other%d\nDisallow: /%d\n", i%7, i)
	}
	b.WriteString("User-agent: DeclaredBot\nAllow: /shop\nDisallow: /shop/cart\n")
	w.web.Host("long.test").Robots(b.String()).Page("/*", "hello")
	_ = w.collector().Visit("http://long.test/")
	a := w.get("/ask?url=http://long.test/shop/cart/1")
	a.has(t, "No: disallowed by line 6003: disallow: /shop/cart", `<li class="decides"><span class="no">6003</span><code>Disallow: /shop/cart</code><em>decides</em></li>`,
		`<li class="matches"><span class="no">6002</span>`, `<li class="ours"><span class="no">6001</span>`, `<li class="gap">`, "left out")
	if len(a.body) > 100_000 {
		t.Errorf("the page has %d bytes", len(a.body))
	}
	whole := w.get("/robots?origin=http://long.test")
	if whole.body != b.String() || whole.header.Get("Content-Type") != "text/plain; charset=utf-8" || !strings.HasPrefix(whole.header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("the whole text: %d bytes, %v", len(whole.body), whole.header)
	}
	if a := w.get("/robots?origin=http://never.test"); a.status != http.StatusNotFound {
		t.Errorf("a robots.txt that nobody read = %d, want 404", a.status)
	}
}

func TestTheAnswerToMayIComesFromMemory(t *testing.T) {
	w := newWorld(t)
	w.web.Host("shop.test").Robots(shopRobots).Page("/*", "goods")
	w.web.Host("new.test").Robots("User-agent: *\nDisallow: /no\n").Page("/*", "hello")
	_ = w.collector().Visit("http://shop.test/")
	before := len(w.web.Log())
	for path, want := range map[string]string{
		"http://shop.test/cart/7":       "No: disallowed by line 8: disallow: /cart",
		"http://shop.test/account/help": "Yes: allowed by line 10: allow: /account/help",
		"shop.test/":                    "Yes: no rule matches, so it is allowed",
		"http://shop.test/robots.txt":   "Yes: robots.txt itself is always allowed",
		"http://new.test/no":            "Not known: its robots.txt has not been read",
		"new.test":                      "Not known: its robots.txt has not been read",
	} {
		w.get("/ask?url="+url.QueryEscape(path)).has(t, ">"+want+"<")
	}
	w.get("/ask?url=http://new.test/no").has(t, "Read its robots.txt now")
	w.get("/ask?url=http://shop.test/cart").lacks(t, "Read it")
	for _, odd := range []string{"mailto:a@b.test", "ftp://shop.test/", "http://", "http://[::1", "http://shop.test:99999/", strings.Repeat("a", 3000)} {
		if a := w.get("/ask?url=" + url.QueryEscape(odd)); a.status != http.StatusBadRequest {
			t.Errorf("ask about %.30q = %d, want 400", odd, a.status)
		}
	}
	if got := len(w.web.Log()); got != before {
		t.Errorf("to ask sent %q", w.web.Log()[before:])
	}
}

func TestARobotsTxtIsReadWhenSomebodyAsksForIt(t *testing.T) {
	w := newWorld(t)
	w.web.Host("new.test").Robots("User-agent: *\nDisallow: /no\n").Page("/*", "hello")
	w.web.Host("gone.test").Answer("/robots.txt", testweb.Answer{Status: 503})
	w.web.Host("stopped.test").Page("/*", "hello")
	w.stop("stopped.test")
	w.post("/fetch", url.Values{"url": {"http://new.test/no"}}).has(t, "No: disallowed by line 2: disallow: /no")
	w.post("/fetch", url.Values{"url": {"http://new.test/yes"}}).has(t, "Yes: no rule matches")
	w.post("/fetch", url.Values{"url": {"http://gone.test/"}}).has(t, "Not now: it could not be read")
	w.post("/fetch", url.Values{"url": {"http://stopped.test/"}}).has(t, "No: stopped by", "it was not asked for: stopped")
	if a := w.post("/fetch", url.Values{"url": {"::"}}); a.status != http.StatusBadRequest {
		t.Errorf("no URL = %d, want 400", a.status)
	}
	for _, hit := range w.web.Hits() {
		if hit.URI != "/robots.txt" || hit.Host == "stopped.test" || hit.Header.Get("User-Agent") != agent {
			t.Errorf("sent %s as %q", hit, hit.Header.Get("User-Agent"))
		}
	}
	if got := w.web.Count("GET http://new.test/robots.txt"); got != 1 {
		t.Errorf("robots.txt was read %d times, want once", got)
	}
	if a := w.get("/fetch?url=http://other.test/"); a.status != http.StatusMethodNotAllowed {
		t.Errorf("GET /fetch = %d, want 405", a.status)
	}
}

func TestSkipsAreFilteredAndPagedAndShowNoSecret(t *testing.T) {
	w := newWorld(t)
	for i := range 120 {
		w.guard.Report.Record(report.Skip{Time: time.Now(), URL: fmt.Sprintf("http://a.test/%d?token=secret", i), Method: "GET", Host: "a.test", Reason: report.RobotsDisallowed, Line: 3, Rule: "disallow: /"})
	}
	w.guard.Report.Record(report.Skip{Time: time.Now(), URL: "http://b.test/form", Method: "POST", Host: "b.test", Reason: report.Stopped, Detail: "asked"})
	a := w.get("/skips")
	a.has(t, "121 requests were refused", "1 to 50 of 121", "POST http://b.test/form", "line 3: <code>disallow: /</code>", "token=xxxxx")
	a.lacks(t, "secret")
	w.get("/skips?reason=stopped").has(t, "b.test/form")
	w.get("/skips?reason=stopped").lacks(t, "a.test/")
	w.get("/skips?q=A.TEST/1&page=2").lacks(t, "b.test")
	w.get("/host?name=a.test").has(t, "105 earlier ones", "robots_disallowed", "120")
}

func TestThePageWorksBelowAPath(t *testing.T) {
	w := newWorld(t)
	mux := http.NewServeMux()
	mux.Handle("/crawl/", http.StripPrefix("/crawl", w.guard.Handler()))
	s := httptest.NewServer(mux)
	defer s.Close()
	w.url = s.URL
	absolute := regexp.MustCompile(`(?:href|src|action)="/`)
	for _, path := range every {
		if a := w.get("/crawl" + path); a.status == http.StatusNotFound || absolute.MatchString(a.body) {
			t.Errorf("%s = %d, with links that leave the path: %q", path, a.status, absolute.FindString(a.body))
		}
	}
	a := w.post("/crawl/stop", url.Values{"scope": {"host"}, "name": {"a.test"}, "reason": {"asked"}, "token": {token}})
	if got, want := a.header.Get("Location"), "host?name=a.test"; a.status != http.StatusSeeOther || got != want {
		t.Errorf("stop = %d to %q, want 303 to %q", a.status, got, want)
	}
}

func TestThePageOutlivesTheCrawl(t *testing.T) {
	w := newWorld(t)
	w.web.Host("shop.test").Page("/", "goods")
	_ = w.collector().Visit("http://shop.test/")
	if err := w.guard.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range every {
		if a := w.get(path); a.status >= 500 {
			t.Errorf("%s = %d after Close", path, a.status)
		}
	}
	rowOf(t, w.get("/"), "shop.test")
}

func TestManyMayLookWhileTheCrawlRuns(t *testing.T) {
	w := newWorld(t)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for n := range 20 {
				w.guard.Report.Sent(report.Request{Host: fmt.Sprintf("h%d-%d.test", i, n), Interval: time.Second, Source: report.FromDefault})
				w.guard.Report.Record(report.Skip{Time: time.Now(), URL: "http://a.test/", Method: "GET", Host: "a.test", Reason: report.Stopped})
			}
		})
		all.Go(func() {
			for _, path := range every {
				if a := w.get(path); a.status >= 500 {
					t.Errorf("%s = %d", path, a.status)
				}
			}
		})
	}
	all.Wait()
	eventually(t, "the list has all", func() bool { return strings.Contains(w.get("/").body, "of 81<") })
}
