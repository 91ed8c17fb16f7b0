//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestSIGHUPHasTheStopFileReadAtOnce(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	var out buffer
	done := make(chan error, 1)
	go func() { done <- run(ctx, &out, []string{"-dir", dir}) }()
	waitFor := func(text string) {
		t.Helper()
		for began := time.Now(); !strings.Contains(out.String(), text); {
			if time.Since(began) > 20*time.Second {
				t.Fatalf("no %q in\n%s", text, out.String())
			}
			<-time.After(5 * time.Millisecond)
		}
	}
	hangUp := func() {
		t.Helper()
		if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	stopFile := filepath.Join(dir, "stop.json")
	waitFor("fetched  http://shop.test/") // from here on the signal is listened to

	writeStopFile(t, stopFile, `{"version": 1, "rules": [{"id": "ks-1", "host": "shop.test", "reason": "the owner asked by mail"}]}`)
	hangUp()
	waitFor("reload   stop.json is read")
	waitFor("skipped  http://shop.test/")

	writeStopFile(t, stopFile, `{"version": 1, "rules": [`)
	hangUp()
	waitFor("reload   failed: ")

	cancel()
	if err := <-done; err != nil {
		t.Errorf("the crawl ended with %v, want nil", err)
	}
}

func writeStopFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}
