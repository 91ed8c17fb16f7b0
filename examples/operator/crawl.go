package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/report"
)

// crawler is a crawl of a little web with a kill switch: a stop file, a saved state, and an admin endpoint on loopback.
type crawler struct {
	out      *lines
	web      *testweb.Web
	sw       *killswitch.Switch
	c        *colly.Collector
	admin    *http.Server
	stopFile string
	hangUp   chan os.Signal
}

// start makes everything ready for a crawl that ends with ctx. What it needs from an earlier run in dir it finds there: a host that was stopped then is stopped now.
func start(ctx context.Context, out io.Writer, dir string) (*crawler, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	x := &crawler{out: &lines{w: out}, stopFile: filepath.Join(dir, "stop.json"), hangUp: make(chan os.Signal, 1)}
	if _, err := os.Stat(x.stopFile); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(x.stopFile, []byte(`{"version": 1, "rules": []}`+"\n"), 0o600); err != nil {
			return nil, err
		}
	}
	token := make([]byte, 32)
	_, _ = rand.Read(token) // it never fails
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte(hex.EncodeToString(token)), 0o600); err != nil {
		return nil, err
	}
	var err error
	if x.web, err = littleWeb(); err != nil {
		return nil, err
	}
	x.sw, err = killswitch.New(killswitch.Options{
		File:      x.stopFile,
		StateDir:  filepath.Join(dir, "state"),
		TokenFile: filepath.Join(dir, "token"),
		Logger:    slog.New(slog.DiscardHandler), // what is printed says it all; leave this out to see the log
		OnSkip: func(_ *colly.Request, s report.Skip) {
			x.out.printf("skipped  %s (%s)\n", s.URL, s.Detail)
		},
	})
	if err != nil {
		x.web.Close()
		return nil, err
	}
	x.c = colly.NewCollector(colly.Async(true), colly.StdlibContext(ctx))
	err = x.sw.Attach(x.c) // the one line
	if err == nil {
		err = x.serve(dir)
	}
	if err != nil {
		x.close()
		return nil, err
	}
	x.c.OnResponse(func(r *colly.Response) { x.out.printf("fetched  %s (%d bytes)\n", r.Request.URL, len(r.Body)) })
	x.c.OnError(func(r *colly.Response, err error) {
		if errors.Is(err, killswitch.ErrStopped) {
			x.out.printf("ended    %s\n", r.Request.URL)
		} else {
			x.out.printf("failed   %s: %v\n", r.Request.URL, err)
		}
	})
	return x, nil
}

// serve opens the admin endpoint on a free port of loopback, and writes down where it is.
func (x *crawler) serve(dir string) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	x.admin = &http.Server{Handler: x.sw.Handler(), ReadHeaderTimeout: 5 * time.Second}
	go x.admin.Serve(ln)
	return os.WriteFile(filepath.Join(dir, "address"), []byte(ln.Addr().String()), 0o600)
}

// crawl visits both hosts, a page each tenth of a second, until ctx ends. SIGHUP has the stop file read at once; that belongs here and not in a
// library, which must leave a program's signals alone.
func (x *crawler) crawl(ctx context.Context) {
	signal.Notify(x.hangUp, syscall.SIGHUP)
	defer signal.Stop(x.hangUp)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	x.visit("http://shop.test/big")
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			x.c.Wait() // what is under way ends with ctx too
			return
		case <-x.hangUp:
			if err := x.sw.Reload(); err != nil {
				x.out.printf("reload   failed: %v\n", err)
			} else {
				x.out.printf("reload   %s is read\n", filepath.Base(x.stopFile))
			}
		case <-tick.C:
			x.visit(fmt.Sprintf("http://%s/%d", []string{"shop.test", "wiki.test"}[n%2], n/2))
		}
	}
}

func (x *crawler) visit(u string) {
	if err := x.c.Visit(u); err != nil {
		x.out.printf("failed   %s: %v\n", u, err)
	}
}

func (x *crawler) close() {
	if x.admin != nil {
		_ = x.admin.Close()
	}
	_ = x.sw.Close()
	x.web.Close()
}

// littleWeb has a shop with a download that takes a minute, and a wiki.
func littleWeb() (*testweb.Web, error) {
	web, err := testweb.Start()
	if err != nil {
		return nil, err
	}
	web.Host("wiki.test").Page("/*", "<p>an article</p>")
	shop := web.Host("shop.test").Page("/*", "<p>an offer</p>")
	shop.Answer("/big", testweb.Answer{Body: string(make([]byte, 600_000)), Drip: testweb.Drip{Bytes: 1000, Every: 100 * time.Millisecond}})
	return web, nil
}

// lines keeps the lines of several goroutines apart.
type lines struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lines) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.w, format, args...)
}
