package page_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/report"
	"github.com/collyetiquette/etiquette/throttle"
)

// some sets up hosts that nothing happens to any more.
func (w *world) some(n int) {
	for i := range n {
		w.guard.Report.Sent(report.Request{Host: fmt.Sprintf("h%03d.test", i), Interval: time.Second, Source: report.FromDefault})
	}
}

func TestInABrowserTheListIsFiltered(t *testing.T) {
	b := openBrowser(t)
	w := newWorld(t)
	w.some(120)
	b.open(w.url + "/")
	b.until(`document.querySelectorAll("tbody tr").length === 50 && !document.getElementById("live").hidden`) // our style and script may run
	if got := eval[string](b, `getComputedStyle(document.querySelector(".tabs a")).borderTopLeftRadius`); got != "16px" {
		t.Errorf("the style is not applied: the radius is %q, want 16px", got)
	}
	b.do(chromedp.SendKeys(chromedp.CSS("#q"), "h07"+kb.Enter))
	b.until(`document.querySelectorAll("tbody tr").length === 10 && location.search === "?q=h07"`)
	b.do(chromedp.Click(chromedp.CSS(`.tabs a[href*="parked"]`)))
	b.until(`document.querySelector(".empty") !== null && location.search === "?q=h07&state=parked"`)
	b.do(chromedp.Click(chromedp.CSS(`.filter a`)))
	b.until(`location.search === "?state=parked" && document.getElementById("q").value === ""`)
}

func TestInABrowserAURLIsAskedAboutAndItsRobotsTxtRead(t *testing.T) {
	b := openBrowser(t)
	w := newWorld(t)
	w.web.Host("shop.test").Robots(shopRobots).Page("/*", "goods")
	b.open(w.url + "/ask")
	b.do(chromedp.SendKeys(chromedp.CSS("#url"), "http://shop.test/cart/7"+kb.Enter))
	b.until(`document.querySelector(".verdict")?.textContent === "Not known: its robots.txt has not been read"`)
	if got := w.web.Log(); len(got) != 0 {
		t.Errorf("to ask sent %q", got)
	}
	b.do(chromedp.Click(chromedp.CSS(`form.inline button`)))
	b.until(`document.querySelector(".verdict")?.textContent === "No: disallowed by line 8: disallow: /cart"`)
	if got := eval[string](b, `document.querySelector("li.decides code").textContent`); got != "Disallow: /cart" {
		t.Errorf("the rule that decides is %q", got)
	}
	if got := w.web.Log(); len(got) != 1 || got[0] != "GET http://shop.test/robots.txt" {
		t.Errorf("sent %q, want the robots.txt alone", got)
	}
}

// crawlOn asks for page after page, and when a rule is in force for 20 more. It returns a function that waits for its end.
func (w *world) crawlOn(host string) (wait func()) {
	c := w.collector()
	var done sync.WaitGroup
	done.Go(func() {
		after := 0
		for i := 0; after < 20; i++ {
			if len(w.guard.KillSwitch.Rules()) > 0 {
				after++
			}
			_ = c.Visit(fmt.Sprintf("http://%s/%d", host, i)) // refused, from some time on
		}
	})
	return done.Wait
}

func pacedShop(p *etiquette.Policy) {
	p.Pace = []throttle.LimitRule{{DomainGlob: "shop.test", Delay: 20 * time.Millisecond}}
}

func TestInABrowserAHostIsStoppedAndItsRequestsCease(t *testing.T) {
	b := openBrowser(t)
	w := newWorld(t, pacedShop)
	w.web.Host("shop.test").Robots("User-agent: *\nAllow: /\n").Page("/*", "goods")
	wait := w.crawlOn("shop.test")
	eventually(t, "the crawl runs", func() bool { return len(w.web.HitsOf("shop.test")) > 5 })
	b.open(w.url + "/host?name=shop.test")
	b.do(
		chromedp.Click(chromedp.CSS(`details:has(#stop) > summary`)),
		chromedp.SendKeys(chromedp.CSS("#s-reason"), "the owner asked by mail"),
		chromedp.SendKeys(chromedp.CSS("#s-ticket"), "OPS-4411"),
		chromedp.SendKeys(chromedp.CSS("#s-token"), "not the token that was configured"),
	)
	eventually(t, "the crawl goes on", func() bool { return len(w.web.HitsOf("shop.test")) > 15 })
	b.do(chromedp.Click(chromedp.CSS("#stop .danger")))
	b.until(`document.querySelector(".verdict.bad")?.textContent.includes("a token is needed") ?? false`)
	w.wantRules(0)

	b.do(chromedp.SendKeys(chromedp.CSS("#s-token"), token)) // the rest of the form has kept what was typed
	b.do(chromedp.Click(chromedp.CSS("#stop .danger")))
	b.until(`location.pathname === "/host" && document.querySelector("h1 .stopped") !== null`)
	hits := len(w.web.HitsOf("shop.test"))
	wait()
	if got := len(w.web.HitsOf("shop.test")); got != hits {
		t.Errorf("%d requests after the stop, want none", got-hits)
	}
	w.wantRules(1)
	if rule := w.guard.KillSwitch.Rules()[0]; rule.Host != "shop.test" || rule.Reason != "the owner asked by mail" || rule.Ticket != "OPS-4411" {
		t.Errorf("the rule is %+v", rule)
	}
	b.until(`document.querySelector("main").textContent.includes("stopped") && document.querySelector("header nav b")?.textContent === "1"`)
}

func TestInABrowserEverythingIsDoneByKeyboard(t *testing.T) {
	b := openBrowser(t)
	w := newWorld(t)
	w.some(60)
	b.open(w.url + "/")
	b.press(kb.Tab)
	if got := eval[string](b, `document.activeElement.textContent`); got != "Skip to the content" {
		t.Errorf("the first stop is %q, want the link past the navigation", got)
	}
	b.press(kb.Enter)
	b.until(`document.activeElement.id === "main"`)
	b.tabTo(`el.id === "q"`)
	b.press("h042" + kb.Enter)
	b.until(`document.querySelectorAll("tbody tr").length === 1 && document.readyState === "complete"`)
	b.tabTo(`el.textContent === "h042.test"`)
	b.press(kb.Enter)
	b.until(`document.querySelector("h1").textContent.includes("h042.test") && document.readyState === "complete"`)
	b.tabTo(`el.nodeName === "SUMMARY"`)
	b.press(kb.Enter)
	b.tabTo(`el.name === "scope"`)
	b.press(kb.ArrowDown) // this host and all names below it
	b.tabTo(`el.id === "s-reason"`)
	b.press("asked")
	b.tabTo(`el.id === "s-token"`)
	b.press(token + kb.Enter)
	b.until(`location.pathname === "/stops" && document.querySelectorAll("section.card").length === 1`)
	if rule := w.guard.KillSwitch.Rules()[0]; rule.Domain != "h042.test" || rule.Reason != "asked" {
		t.Errorf("the rule is %+v", rule)
	}
	b.tabTo(`el.nodeName === "SUMMARY" && el.textContent === "Lift…"`)
	b.press(kb.Enter)
	b.tabTo(`el.name === "reason"`)
	b.press("done")
	b.tabTo(`el.name === "token"`)
	b.press(token + kb.Enter)
	b.until(`document.querySelector(".empty")?.textContent === "Nothing is stopped."`)
	w.wantRules(0)
}

func TestInABrowserNoPageIsWiderThanANarrowScreen(t *testing.T) {
	b := openBrowser(t)
	w := newWorld(t)
	w.crawlOfMany()
	label := strings.Repeat("unbroken", 7)
	long := label + "." + label + ".test"
	w.guard.Report.Sent(report.Request{Host: long, Interval: time.Second, Source: report.FromDefault})
	if _, err := w.guard.KillSwitch.Stop(killswitch.Rule{Host: long, Reason: strings.Repeat("unbroken", 40)}); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.EmulateViewport(320, 640))
	for _, path := range append(every, "/host?name="+long, "/ask?url=http://"+long+"/"+long+long) {
		b.open(w.url + path)
		eval[bool](b, `document.querySelectorAll("details").forEach(d => d.open = true), true`)
		if got := eval[int](b, `document.documentElement.scrollWidth`); got > 320 {
			t.Errorf("%s is %d pixels wide on a screen of 320", path, got)
		}
	}
}

// contrast is the least contrast of a text with what is behind it (WCAG 2.2, 1.4.3), and where.
const contrast = `(() => {
	const rgb = c => c.match(/[\d.]+/g).map(Number);
	const light = c => { const [r, g, b] = rgb(c).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const behind = el => { for (; el; el = el.parentElement) { const c = getComputedStyle(el).backgroundColor; const v = rgb(c); if (v.length < 4 || v[3] > 0) return c; } return "rgb(255, 255, 255)"; };
	let least = {ratio: 21, where: ""};
	for (const el of document.querySelectorAll("body *")) {
		if (![...el.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !el.checkVisibility()) continue;
		const [a, b] = [light(getComputedStyle(el).color), light(behind(el))];
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (ratio < least.ratio) least = {ratio, where: el.outerHTML.slice(0, 150)};
	}
	return least;
})()`

func TestInABrowserEveryTextCanBeReadByDayAndByNight(t *testing.T) {
	b := openBrowser(t)
	w := newWorld(t)
	w.crawlOfMany()
	for scheme, dark := range map[string]bool{"light": false, "dark": true} {
		b.prefers(scheme)
		for _, path := range append(every, "/ask?url=http://news.test/") {
			b.open(w.url + path)
			eval[bool](b, `document.querySelectorAll("details").forEach(d => d.open = true), true`)
			if got := eval[bool](b, `getComputedStyle(document.body).backgroundColor.match(/\d+/)[0] < 128`); got != dark {
				t.Errorf("%s, %s: dark is %v", scheme, path, got)
			}
			least := eval[struct {
				Ratio float64
				Where string
			}](b, contrast)
			if least.Ratio < 4.5 {
				t.Errorf("%s, %s: a contrast of %.2f, want 4.5: %s", scheme, path, least.Ratio, least.Where)
			}
		}
	}
}

func TestInABrowserThePageKeepsUpAndLeavesTheReaderAlone(t *testing.T) {
	b := openBrowser(t)
	w := newWorld(t)
	w.some(3)
	w.guard.Report.AddSource(func(h *report.Host) {
		if h.Host == "h001.test" {
			h.Waiting, h.NextStart = 1, time.Now().Add(time.Hour)
		}
	})
	b.open(w.url + "/")
	b.until(`document.querySelector("#h-h001\\.test time").textContent.startsWith("59m") || document.querySelector("#h-h001\\.test time").textContent === "1h 0m"`)
	eval[bool](b, `document.querySelector("#h-h002\\.test a").focus(), document.getElementById("q").value = "typed", window.stays = true`)
	w.guard.Report.Sent(report.Request{Host: "aaa.test", Interval: time.Second, Source: report.FromDefault})
	b.until(`document.querySelector("#h-aaa\\.test") !== null && document.querySelectorAll("tbody tr").length === 4`)
	if !eval[bool](b, `window.stays && document.getElementById("q").value === "typed" && document.activeElement.textContent === "h002.test"`) {
		t.Errorf("the reader has lost the focus or what was typed: %s", eval[string](b, `document.activeElement.outerHTML`))
	}

	b.do(chromedp.Click(chromedp.CSS("#live")))
	b.until(`document.getElementById("live").getAttribute("aria-pressed") === "false"`)
	stood := eval[string](b, `document.querySelector("footer time").textContent`)
	b.until(`(window.since ??= Date.now()) < Date.now() - 5000`) // two looks and a half
	if got := eval[string](b, `document.querySelector("footer time").textContent`); got != stood {
		t.Errorf("while paused the page went on from %s to %s", stood, got)
	}
}

func TestInABrowserThePageIsReadWithoutItsScript(t *testing.T) {
	b := openBrowser(t)
	w := newWorld(t)
	w.some(60)
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.open(w.url + "/")
	b.do(chromedp.SendKeys(chromedp.CSS("#q"), "h042"+kb.Enter), chromedp.WaitVisible(chromedp.CSS(`.filter a`)))
	text, err := chromedp.Run(b.ctx, chromedp.TextContent(chromedp.CSS("tbody")))
	if err != nil {
		t.Fatal(err)
	}
	(answer{body: text}).has(t, "h042.test", "quiet", "1s")
	(answer{body: text}).lacks(t, "h041.test")
	b.do(chromedp.Click(chromedp.CSS("tbody a")), chromedp.Click(chromedp.CSS(`details:has(#stop) > summary`)), chromedp.SendKeys(chromedp.CSS("#s-reason"), "asked"),
		chromedp.SendKeys(chromedp.CSS("#s-token"), token+kb.Enter), chromedp.WaitVisible(chromedp.CSS("h1 .stopped")))
	w.wantRules(1)
}
