// Operator shows how a running crawl is stopped for one site, by a person in another terminal, and what can then be told to the site's owner.
// It needs no network. In one terminal a crawl runs:
//
//	go run ./examples/operator
//
// and from another one it is told to leave a host alone, and later that it may go on:
//
//	go run ./examples/operator stop shop.test -reason "the owner asked by mail" -ticket OPS-4411
//	go run ./examples/operator report ID
//	go run ./examples/operator lift ID -reason "the owner agreed"
//
// Or write a rule into the stop file whose path the crawl prints; SIGHUP has it read at once. With -demo all of it happens in one process, in a few
// seconds.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "operator:", err)
		os.Exit(1)
	}
}

// run is the program, for main and for its test.
func run(ctx context.Context, out io.Writer, args []string) error {
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		return command(ctx, out, args[0], args[1:])
	}
	flags := flag.NewFlagSet("operator", flag.ContinueOnError)
	dir := dirFlag(flags)
	demo := flags.Bool("demo", false, "stop a host from within, print the report, and end")
	if err := flags.Parse(args); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := start(ctx, out, *dir)
	if err != nil {
		return err
	}
	defer c.close()
	if !*demo {
		fmt.Fprintf(out, "stop a host from another terminal:\n  go run ./examples/operator stop shop.test -reason \"the owner asked by mail\" -ticket OPS-4411 -dir %s\n"+
			"or write a rule into %s; Ctrl-C ends the crawl\n\n", *dir, c.stopFile)
		c.crawl(ctx)
		return nil
	}
	crawled := make(chan struct{})
	go func() {
		defer close(crawled)
		c.crawl(ctx)
	}()
	err = play(ctx, out, *dir)
	cancel()
	<-crawled
	return err
}

// play is the demo's operator.
func play(ctx context.Context, out io.Writer, dir string) error {
	for _, step := range [][]string{
		{"stop", "shop.test", "-id", "ks-demo", "-reason", "the owner asked by mail", "-ticket", "OPS-4411"},
		{"lift", "ks-demo", "-reason", "the owner agreed to a slower crawl"},
	} {
		if err := pause(ctx, 700*time.Millisecond); err != nil {
			return err
		}
		fmt.Fprintf(out, "\n$ operator %s\n", commandLine(step))
		if err := command(ctx, out, step[0], append(step[1:], "-dir", dir)); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	return pause(ctx, 700*time.Millisecond)
}

// commandLine writes arguments as they are typed.
func commandLine(args []string) string {
	typed := make([]string, len(args))
	for i, a := range args {
		typed[i] = a
		if strings.Contains(a, " ") {
			typed[i] = strconv.Quote(a)
		}
	}
	return strings.Join(typed, " ")
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// dirFlag is where the crawl keeps its state, and where the commands find its address and token.
func dirFlag(flags *flag.FlagSet) *string {
	base, err := os.UserCacheDir()
	if err != nil {
		base = "."
	}
	return flags.String("dir", filepath.Join(base, "etiquette-operator"), "where the crawl keeps stop file, token and state")
}
