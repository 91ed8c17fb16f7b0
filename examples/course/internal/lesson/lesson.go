// Package lesson is what the programs of the course share: a little web on loopback, and a look into its log.
package lesson

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

// Agent is who the course's crawlers say they are. Hosts under .test exist nowhere, so a contact under .example will do; a real crawler needs a real one.
const Agent = "CourseBot/1.0 (+https://bot.example/about; mailto:course@bot.example)"

// Run is the main function of a lesson. It starts a web whose hosts end in .test, which net/http finds as if they were in the world, and lets teach
// set up the hosts, crawl them and print what there is to see. An error ends the program with exit status 1.
func Run(teach func(out io.Writer, web *testweb.Web) error) {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // the lesson prints what there is to see; take this line out to see the pack's log
	if err := run(os.Stdout, teach); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
	}
}

func run(out io.Writer, teach func(out io.Writer, web *testweb.Web) error) error {
	web, err := testweb.Start()
	if err != nil {
		return err
	}
	defer web.Close()
	return teach(out, web)
}

// Saw prints what the servers saw since the last call, in order, and empties their log. The servers are asked, not the scraper: their log is what a
// site's owner sees.
func Saw(out io.Writer, web *testweb.Web) {
	log := web.Log()
	web.Reset()
	for _, line := range log {
		fmt.Fprintf(out, "  %s\n", line)
	}
	if len(log) == 0 {
		fmt.Fprintln(out, "  nothing")
	}
}

// Gap is a time between two requests as the lessons print it: in seconds, rounded down to a tenth.
func Gap(d time.Duration) string {
	return fmt.Sprintf("%.1f s", d.Truncate(100*time.Millisecond).Seconds())
}
