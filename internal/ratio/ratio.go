// Package ratio says how many times more one function costs than another, measured by turns in one process.
//
// Wall times of one machine mean nothing on the next, and on a machine that does other work too they mean little from one second
// to the next. What stays is the ratio of two functions that run in turn: each round runs every contender once, and the
// median over the rounds leaves out what disturbed one of them.
package ratio

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Contender is a function to be measured. Run calls it n times; n is at least 1.
type Contender struct {
	Name string
	Run  func(n int)
}

// Result is the outcome of [ByTurns].
type Result struct {
	names   []string
	perCall [][]float64 // of each contender, in each round, nanoseconds
}

// parts is into how many slices a contender's time in a round is cut. The cheapest of them counts, for in it the machine did
// nothing else.
const parts = 8

// ByTurns runs the contenders in turn, for the given number of rounds. In a round each runs for at least the given time, in short
// slices that take turns too; the cheapest slice of each counts. A contender whose single call takes longer than a
// slice has one call in each round. It takes a little more than rounds × contenders × least.
func ByTurns(rounds int, least time.Duration, contenders ...Contender) Result {
	r := Result{perCall: make([][]float64, len(contenders))}
	calls := make([]int, len(contenders))
	for i, c := range contenders {
		r.names = append(r.names, c.Name)
		calls[i] = callsFor(c, least/parts)
	}
	for range rounds {
		runtime.GC()
		cheapest := make([]float64, len(contenders))
		for slice := range parts {
			for i, c := range contenders {
				if slice > 0 && calls[i] == 1 {
					continue
				}
				took := float64(timed(c, calls[i])) / float64(calls[i])
				if slice == 0 || took < cheapest[i] {
					cheapest[i] = took
				}
			}
		}
		for i := range contenders {
			r.perCall[i] = append(r.perCall[i], cheapest[i])
		}
	}
	return r
}

// callsFor returns how many calls of c take about as long as least.
func callsFor(c Contender, least time.Duration) int {
	for n := 1; ; {
		took := timed(c, n)
		if took >= least {
			return n
		}
		// Twice as many at least, a hundred times as many at most: a short first run says little.
		most := 100 * n
		if took > 0 {
			most = min(most, int(1.2*float64(n)*float64(least)/float64(took)))
		}
		n = max(2*n, most)
	}
}

func timed(c Contender, n int) time.Duration {
	start := time.Now()
	c.Run(n)
	return time.Since(start)
}

// PerCall is the median cost of one call.
func (r Result) PerCall(name string) time.Duration {
	return time.Duration(median(r.perCall[r.index(name)]))
}

// Times is how many times more a costs than b: the median of the ratios of all rounds.
func (r Result) Times(a, b string) float64 {
	x, y := r.perCall[r.index(a)], r.perCall[r.index(b)]
	ratios := make([]float64, len(x))
	for i := range ratios {
		ratios[i] = x[i] / y[i]
	}
	return median(ratios)
}

// String has one line for each contender: its name and its median cost.
func (r Result) String() string {
	var b strings.Builder
	for i, name := range r.names {
		fmt.Fprintf(&b, "%-40s %12.1f ns\n", name, median(r.perCall[i]))
	}
	return b.String()
}

func (r Result) index(name string) int {
	i := slices.Index(r.names, name)
	if i < 0 {
		panic(fmt.Sprintf("ratio: no contender %q among %q", name, r.names))
	}
	return i
}

func median(xs []float64) float64 {
	sorted := slices.Sorted(slices.Values(xs))
	n := len(sorted)
	switch {
	case n == 0:
		return 0
	case n%2 == 1:
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}
