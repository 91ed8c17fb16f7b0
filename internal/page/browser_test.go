package page_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// chromium is the one browser of all tests, started by the first that wants it; nil: there is none.
var chromium = sync.OnceValue(func() *allocated {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox) // it sees our own page only, and may run as root
		ctx, endProcess := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, endBrowser := chromedp.NewContext(ctx)
		a := &allocated{ctx: ctx, end: func() { endBrowser(); endProcess() }}
		a.err = chromedp.Do(ctx) // starts it
		started.Store(a)
		return a
	}
	return nil
})

// started is what is to be ended.
var started atomic.Pointer[allocated]

type allocated struct {
	ctx context.Context
	end func()
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if a := started.Load(); a != nil {
		a.end()
	}
	os.Exit(code)
}

// browser is a tab of a headless Chromium, with cookies and the like of its own.
type browser struct {
	t   testing.TB
	ctx context.Context
}

// openBrowser opens a tab, or skips the test where there is no Chromium.
func openBrowser(t testing.TB) *browser {
	t.Helper()
	a := chromium()
	if a == nil {
		t.Skip("there is no Chromium on the PATH, so the page is not tried in a browser (Debian: apt-get install chromium)")
		return nil
	}
	if a.err != nil {
		t.Fatalf("Chromium does not start: %v", a.err)
	}
	ctx, end := chromedp.NewContext(a.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	ctx, end = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(end)
	b := &browser{t, ctx}
	b.do(chromedp.EmulateViewport(1280, 900))
	return b
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatalf("in the browser: %v", err)
	}
}

// eval is what an expression is in the page.
func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for an expression to be true in a page that is there whole. While one page gives way to the next there is nothing to look at.
func (b *browser) until(expression string) {
	b.t.Helper()
	eventually(b.t, expression, func() bool {
		is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`(() => { try { return document.readyState === "complete" && Boolean(`+expression+`); } catch { return false; } })()`))
		return err == nil && is
	})
}

func (b *browser) open(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url))
}

// prefers sets what the reader prefers: "dark" or "light".
func (b *browser) prefers(scheme string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	if err != nil {
		b.t.Fatal(err)
	}
}

// press presses keys, as a person does who has no mouse.
func (b *browser) press(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// tabTo presses Tab until the expression holds for the element that has the focus, el. Each element on the way must show that it has it.
func (b *browser) tabTo(expression string) {
	b.t.Helper()
	for range 60 {
		b.press(kb.Tab)
		if !eval[bool](b, `(() => { const s = getComputedStyle(document.activeElement); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2; })()`) {
			b.t.Errorf("nobody sees where the focus is: %s", eval[string](b, `document.activeElement.outerHTML.slice(0, 200)`))
		}
		if eval[bool](b, `(el => `+expression+`)(document.activeElement)`) {
			return
		}
	}
	b.t.Fatalf("60 times Tab do not lead to %s", expression)
}

// TestPictures takes the pictures of docs: go test ./internal/page -run Pictures -screenshots "$PWD/docs"
func TestPictures(t *testing.T) {
	if *screenshots == "" {
		t.Skip("no -screenshots: none are taken")
	}
	w := newWorld(t)
	w.crawlOfMany()
	b := openBrowser(t)
	for _, x := range []struct {
		path, name, scheme string
		width, height      int64
	}{
		{"/", "page-hosts.png", "light", 1180, 400},
		{"/ask?url=http://shop.test/account/help", "page-ask.png", "light", 1180, 400},
		{"/host?name=shop.test", "page-dark.png", "dark", 1180, 400},
		{"/", "page-narrow.png", "light", 390, 780},
	} {
		b.do(chromedp.EmulateViewport(x.width, x.height))
		b.prefers(x.scheme)
		b.open(w.url + x.path)
		take := chromedp.FullScreenshot(100)
		if x.width < 1000 {
			take = chromedp.CaptureScreenshot()
		}
		png, err := chromedp.Run(b.ctx, take)
		if err == nil {
			err = os.WriteFile(filepath.Join(*screenshots, x.name), png, 0o644)
		}
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
	}
}
