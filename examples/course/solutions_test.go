package course

import (
	"testing"

	check01 "github.com/collyetiquette/etiquette/examples/course/01-reading-robots-txt/check"
	solution01 "github.com/collyetiquette/etiquette/examples/course/01-reading-robots-txt/solution"
	check02 "github.com/collyetiquette/etiquette/examples/course/02-groups-and-longest-match/check"
	solution02 "github.com/collyetiquette/etiquette/examples/course/02-groups-and-longest-match/solution"
	check03 "github.com/collyetiquette/etiquette/examples/course/03-status-codes/check"
	solution03 "github.com/collyetiquette/etiquette/examples/course/03-status-codes/solution"
	check04 "github.com/collyetiquette/etiquette/examples/course/04-identity/check"
	solution04 "github.com/collyetiquette/etiquette/examples/course/04-identity/solution"
	check05 "github.com/collyetiquette/etiquette/examples/course/05-throttling-and-crawl-delay/check"
	solution05 "github.com/collyetiquette/etiquette/examples/course/05-throttling-and-crawl-delay/solution"
	check06 "github.com/collyetiquette/etiquette/examples/course/06-back-off/check"
	solution06 "github.com/collyetiquette/etiquette/examples/course/06-back-off/solution"
	check07 "github.com/collyetiquette/etiquette/examples/course/07-cache-while-developing/check"
	solution07 "github.com/collyetiquette/etiquette/examples/course/07-cache-while-developing/solution"
	check08 "github.com/collyetiquette/etiquette/examples/course/08-kill-switch/check"
	solution08 "github.com/collyetiquette/etiquette/examples/course/08-kill-switch/solution"
	check09 "github.com/collyetiquette/etiquette/examples/course/09-opt-outs-and-ai-purposes/check"
	solution09 "github.com/collyetiquette/etiquette/examples/course/09-opt-outs-and-ai-purposes/solution"
	check10 "github.com/collyetiquette/etiquette/examples/course/10-sitemaps/check"
	solution10 "github.com/collyetiquette/etiquette/examples/course/10-sitemaps/solution"
	check11 "github.com/collyetiquette/etiquette/examples/course/11-take-only-what-is-needed/check"
	solution11 "github.com/collyetiquette/etiquette/examples/course/11-take-only-what-is-needed/solution"
	check12 "github.com/collyetiquette/etiquette/examples/course/12-practice/check"
	solution12 "github.com/collyetiquette/etiquette/examples/course/12-practice/solution"
)

// The solutions are tried in one binary: to link twelve takes longer than to run them.
func TestEachSolutionSolvesItsTask(t *testing.T) {
	solved := []func(t *testing.T){
		func(t *testing.T) { check01.Crawl(t, solution01.Crawl) },
		func(t *testing.T) { check02.Allowed(t, solution02.Allowed) },
		func(t *testing.T) { check03.Class(t, solution03.Class) },
		func(t *testing.T) { check04.NewCollector(t, solution04.NewCollector) },
		func(t *testing.T) { check05.NewCollector(t, solution05.NewCollector) },
		func(t *testing.T) { check06.Pause(t, solution06.Pause) },
		func(t *testing.T) { check07.Titles(t, solution07.Titles) },
		func(t *testing.T) { check08.Stop(t, solution08.Stop) },
		func(t *testing.T) { check09.Collect(t, solution09.Collect) },
		func(t *testing.T) { check10.Changed(t, solution10.Changed) },
		func(t *testing.T) { check11.Offers(t, solution11.Offers) },
		func(t *testing.T) { check12.New(t, solution12.New) },
	}
	dirs := lessons(t)
	if got, want := len(solved), len(dirs); got != want {
		t.Fatalf("%d solutions are tried, want one of each of %d lessons", got, want)
	}
	for i, solution := range solved {
		t.Run(dirs[i], solution)
	}
}
