// Explain says what a site's robots.txt means for one URL and one crawler: what its answer means, which group is ours, every rule that matches,
// which of them decides and why, the pace that is asked for, what the site says of the use of its pages, and its sitemaps. Beside that stands what
// Colly's own check and grobotstxt alone say.
//
//	go run ./examples/explain https://shop.example/cart?item=1 -token FooBot
//	go run ./examples/explain https://shop.example/cart?item=1 -token 'FooBot/1.0 (+https://foo.example/bot)' -file robots.txt -json
//
// With -file the robots.txt is read from there and nothing is sent. Without it robots.txt is asked for, under a name of this program's own
// whatever -token says; with -page the page too, if it may be, for what its header and its head say.
//
// The lesson: each rule has a line, and each decision a rule. What a site says of the use of its pages (index, train, archive) is no ban on fetching
// them; it says what they may be used for. "unknown" is neither a yes nor a no.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
)

const usage = "usage: explain URL [-token T] [-file robots.txt] [-page] [-json]"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	slog.SetDefault(slog.New(slog.DiscardHandler)) // the answer says it all; leave this out to see the log
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "explain:", err)
		os.Exit(1)
	}
}

// run is the program, for main and for its test.
func run(ctx context.Context, out io.Writer, args []string) error {
	var q question
	flags := flag.NewFlagSet("explain", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error says it
	flags.StringVar(&q.token, "token", ownToken, "the crawler: a product token or a whole User-Agent")
	flags.StringVar(&q.file, "file", "", "a robots.txt to read in place of the site's")
	flags.BoolVar(&q.page, "page", false, "fetch the page too, if it may be")
	asJSON := flags.Bool("json", false, "as JSON")
	var rest []string
	for len(args) > 0 { // the URL may stand before, between or behind the flags
		if !strings.HasPrefix(args[0], "-") {
			rest, args = append(rest, args[0]), args[1:]
			continue
		}
		if err := flags.Parse(args); err != nil {
			return fmt.Errorf("%w\n%s", err, usage)
		}
		args = flags.Args()
	}
	if len(rest) != 1 {
		return errors.New(usage)
	}
	q.url = rest[0]
	a, err := q.answer(ctx)
	if err != nil {
		return err
	}
	if *asJSON {
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(a)
	}
	a.print(out)
	return nil
}
