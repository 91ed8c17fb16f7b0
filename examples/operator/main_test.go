package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// buffer is an output that several goroutines write to.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func TestDemoStopsReportsAndLifts(t *testing.T) {
	var out buffer
	if err := run(context.Background(), &out, []string{"-demo", "-dir", t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	stopped, lifted, ok := strings.Cut(text, "$ operator lift")
	if !ok {
		t.Fatalf("no lift in\n%s", text)
	}
	for _, want := range []string{`fetched  http://shop.test/\d`, `fetched  http://wiki.test/\d`, `ended    http://shop.test/big`, `skipped  http://shop.test/\d`,
		`rule: +ks-demo, stop host shop.test`, `ticket: +OPS-4411`, `last request: +20\d\d`, `last byte: +20\d\d`, `cancelled: +1 under way`, `refused: +[1-9]`} {
		if !regexp.MustCompile(want).MatchString(stopped) {
			t.Errorf("no %q before the lift in\n%s", want, stopped)
		}
	}
	if _, after, _ := strings.Cut(lifted, "lifted:"); !strings.Contains(after, "fetched  http://shop.test/") {
		t.Errorf("nothing of shop.test was fetched after the lift:\n%s", lifted)
	}
}

func TestACommandFromAnotherTerminalStopsARunningCrawl(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	var crawl buffer
	done := make(chan error, 1)
	go func() { done <- run(ctx, &crawl, []string{"-dir", dir}) }()
	for began := time.Now(); !strings.Contains(crawl.String(), "fetched  http://shop.test/"); {
		if time.Since(began) > 20*time.Second {
			t.Fatalf("the crawl did not begin:\n%s", crawl.String())
		}
		<-time.After(10 * time.Millisecond)
	}
	var out buffer
	if err := run(ctx, &out, []string{"stop", "shop.test", "-reason", "asked", "-ticket", "OPS-1", "-dir", dir}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "stop host shop.test") || !strings.Contains(out.String(), "OPS-1") {
		t.Errorf("the report is\n%s", out.String())
	}
	if err := run(ctx, &out, []string{"stop", "shop.test", "-dir", dir}); err == nil || !strings.Contains(err.Error(), "reason") {
		t.Errorf("stop without a reason = %v, want an error that asks for it", err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("the crawl ended with %v, want nil", err)
	}
}

func TestACommandWithoutACrawlSaysSo(t *testing.T) {
	err := run(context.Background(), &buffer{}, []string{"stop", "shop.test", "-reason", "x", "-dir", t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "is the crawl running?") {
		t.Errorf("stop = %v, want an error that asks whether the crawl is running", err)
	}
}
