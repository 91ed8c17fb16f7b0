package page_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// browser is a tab of a headless Chromium.
type browser struct {
	t   testing.TB
	ctx context.Context
}

// startBrowser starts Chromium, or skips the test where there is none.
func startBrowser(t testing.TB) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("there is no Chromium on the PATH, so the page is not tried in a browser (Debian: apt-get install chromium)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox) // it sees our own page only, and may run as root
	ctx, end := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(end)
	ctx, end = chromedp.NewContext(ctx)
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

// until waits for an expression to be true.
func (b *browser) until(expression string) {
	b.t.Helper()
	eventually(b.t, expression, func() bool { return eval[bool](b, expression) })
}

func (b *browser) open(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url))
}

// prefers sets what the reader prefers: "dark" or "light".
func (b *browser) prefers(scheme string) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		return target.Call(ctx, emulation.CommandSetEmulatedMedia, map[string]any{
			"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}},
		}, nil)
	}))
}

// picture keeps a picture of the page if the flag asks for them.
func (b *browser) picture(name string) {
	b.t.Helper()
	if *screenshots == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(*screenshots, name), png, 0o644)
	}
	if err != nil {
		b.t.Errorf("picture %s: %v", name, err)
	}
}

func TestPictures(t *testing.T) {
	if *screenshots == "" {
		t.Skip("no -screenshots")
	}
	w := newWorld(t)
	w.crawlOfMany()
	b := startBrowser(t)
	for _, x := range []struct {
		path, name, scheme string
		width, height      int64
	}{
		{"/", "page-hosts.png", "light", 1180, 400},
		{"/", "page-dark.png", "dark", 1180, 400},
		{"/", "page-narrow.png", "light", 390, 844},
		{"/host?name=shop.test", "page-host.png", "light", 1180, 400},
		{"/host?name=shop.test", "page-host-dark.png", "dark", 1180, 400},
		{"/host?name=shop.test", "page-host-narrow.png", "dark", 390, 844},
		{"/ask?url=http://shop.test/cart", "page-ask.png", "light", 1180, 400},
		{"/skips", "page-skips.png", "light", 1180, 400},
		{"/stops", "page-stops.png", "light", 1180, 400},
		{"/ask?url=http://news.test/", "page-signals.png", "dark", 390, 844},
	} {
		b.do(chromedp.EmulateViewport(x.width, x.height))
		b.prefers(x.scheme)
		b.open(w.url + x.path)
		if x.name == "page-stops.png" {
			eval[bool](b, `document.querySelector("details").open = true`)
		}
		b.picture(x.name)
	}
}
