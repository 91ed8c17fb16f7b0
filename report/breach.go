package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Breach is one promise that was not kept: a request that was sent too soon.
type Breach struct {
	Host string
	Time time.Time // when it was sent
	// Kept is the gap to the request before, and Promised the one that was promised. For a block they are how long it had lasted, and how long it
	// was to last.
	Kept, Promised time.Duration
	Source         Source
}

func (b Breach) String() string {
	at := b.Time.Format("2006-01-02 15:04:05.000 MST")
	if b.Source == FromBlock {
		return fmt.Sprintf("%s was asked at %s, %s into a block of %s", clean(b.Host), at, b.Kept, b.Promised)
	}
	return fmt.Sprintf("%s was asked at %s, %s after the request before; promised was %s (%s)", clean(b.Host), at, b.Kept, b.Promised, b.Source.plain())
}

// maxBreaches is how many broken promises of one host are kept one by one, the first ones.
const maxBreaches = 20

// breach is a Breach of a host that is known.
type breach struct {
	at             int64
	kept, promised time.Duration
	source         Source
}

// broke counts a broken promise.
func (t *tally) broke(b breach) {
	t.broken++
	switch b.source {
	case FromCrawlDelay:
		t.brokenDelays++
	case FromBlock:
		t.brokenBlocks++
	}
	if len(t.breaches) < maxBreaches {
		t.breaches = append(t.breaches, b)
	}
}

// BrokenError is the error of Verify.
type BrokenError struct {
	Breaches []Breach // in the order of time; of each host the first 20
	Broken   int      // all that were broken, those included that are not known one by one
	Measured int      // how many promises were looked at
}

// Error has a line for each broken promise in Breaches.
func (e *BrokenError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "report: %d of %d promises of this process were broken", e.Broken, e.Measured)
	for _, x := range e.Breaches {
		b.WriteString("\n\t" + x.String())
	}
	if more := e.Broken - len(e.Breaches); more > 0 {
		fmt.Fprintf(&b, "\n\tand %d more", more)
	}
	return b.String()
}

// Verify is the self-audit: nil if every gap and every block that was promised at the moment of sending was kept, else a *BrokenError that names each that
// was not. It speaks of this process only, and of what it was told with Sent and Hold.
func (r *Report) Verify() error {
	t := r.table()
	var e BrokenError
	gone := t.each(func(h *tally) {
		e.Broken += h.broken
		e.Measured += h.measured
		for _, b := range h.breaches {
			e.Breaches = append(e.Breaches, Breach{h.name, t.wall(b.at), b.kept, b.promised, b.source})
		}
	})
	e.Broken += gone.broken
	e.Measured += gone.measured
	if e.Broken == 0 {
		return nil
	}
	slices.SortStableFunc(e.Breaches, func(a, b Breach) int { return a.Time.Compare(b.Time) })
	return &e
}
