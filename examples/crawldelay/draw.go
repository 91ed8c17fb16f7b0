package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

// column is how much time one character stands for.
const column = 100 * time.Millisecond

// draw shows when each host was asked, in columns of a tenth of a second.
func draw(out io.Writer, title string, web *testweb.Web, start time.Time) {
	fmt.Fprintf(out, "%s\n", title)
	for _, h := range hosts {
		hits := web.HitsOf(h.name)
		fmt.Fprintf(out, "  %-13s%-21s|%s\n", h.name, h.asks, timeline(hits, start))
	}
	fmt.Fprintf(out, "  %-34s|%s\n\n", "seconds", scale(web.Hits(), start))
}

// timeline has one character for each column: a mark, two or more requests in one column as their number, or a dot.
func timeline(hits []testweb.Hit, start time.Time) string {
	var line []byte
	for _, hit := range hits {
		at := int(hit.Time.Sub(start) / column)
		for len(line) <= at {
			line = append(line, '.')
		}
		switch c := line[at]; {
		case c == '.':
			line[at] = mark(hit)
		case c >= '2' && c < '9':
			line[at] = c + 1
		default:
			line[at] = '2'
		}
	}
	return string(line)
}

func mark(hit testweb.Hit) byte {
	switch {
	case hit.URI == "/robots.txt":
		return 'r'
	case hit.Host == "busy.test" && hit.URI == "/1":
		return 'x'
	}
	return 'o'
}

// scale numbers the seconds up to the last hit.
func scale(hits []testweb.Hit, start time.Time) string {
	if len(hits) == 0 {
		return ""
	}
	var b strings.Builder
	for s := range int(hits[len(hits)-1].Time.Sub(start)/time.Second) + 1 {
		fmt.Fprintf(&b, "%-10d", s)
	}
	return strings.TrimRight(b.String(), " ")
}
