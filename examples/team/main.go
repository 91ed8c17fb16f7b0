// Team shows how the scrapers of a team keep to one policy: a file that all of them read, a file in which a person stops a host while they run, and
// one report afterwards. Two scrapers crawl a little web, one through a queue that is fair to hosts, one by following links. After three
// pages the owner of a forum asks to be left alone. It needs no network and takes a few seconds:
//
//	go run ./examples/team
//
// The report comes as a table, and as a page to be opened in a browser; the last lines say where. With -dir the files go into a folder of your own,
// in which a second run finds what the first one knew.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"sync"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

func main() {
	dir := flag.String("dir", "", "the folder for policy, stop file, state and report; empty: a new one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := start(ctx, os.Stdout, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "team:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context, out io.Writer, dir string) error {
	web, err := testweb.Start()
	if err != nil {
		return err
	}
	defer web.Close()
	mail := buildWeb(web)
	if dir == "" {
		if dir, err = os.MkdirTemp("", "etiquette-team-"); err != nil {
			return err
		}
	}
	return run(ctx, out, dir, mail)
}

//go:embed etiquette.yaml
var policyFile string

// run is what a team's program does. mail is closed when the forum's owner has written.
func run(ctx context.Context, out io.Writer, dir string, mail <-chan struct{}) error {
	if err := prepare(dir); err != nil {
		return err
	}
	policy, err := etiquette.ReadPolicy(filepath.Join(dir, "etiquette.yaml"))
	if err != nil {
		return err
	}
	policy.Logger = slog.New(slog.DiscardHandler) // the report says it all; leave this out to see the log
	policy.Throttle.Total = 20                    // a program may be stricter than the file, here over all hosts
	guard, err := etiquette.New(policy)
	if err != nil {
		return err
	}
	defer guard.Close()
	fmt.Fprintf(out, "%s\nkeeps to %s\n\n", guard.Identity.UserAgent(), filepath.Join(dir, "etiquette.yaml"))

	var prices, news counts
	var pricesErr, newsErr error
	office, closeOffice := context.WithCancel(ctx)
	defer closeOffice()
	answered := make(chan error, 1)
	go func() { answered <- answerMail(office, mail, dir) }()
	var both sync.WaitGroup
	both.Go(func() { pricesErr = crawlPrices(ctx, guard, &prices) })
	both.Go(func() { newsErr = crawlNews(ctx, guard, &news) })
	both.Wait()
	closeOffice()
	mailErr := <-answered
	fmt.Fprintf(out, "prices  %s\nnews    %s\n\n", &prices, &news)
	return errors.Join(pricesErr, newsErr, mailErr, tell(out, guard, dir))
}

// prepare writes what is missing: the policy, which a team has in its repository, and the stop file, which lies where those who answer complaints can
// write to it.
func prepare(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for name, text := range map[string]string{"etiquette.yaml": policyFile, "stops.json": noStops} {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
