package collyrobots

import (
	"runtime"
	"strings"
	"testing"

	"github.com/temoto/robotstxt"
)

// heapOf is how many octets of heap what build returns keeps alive: the mean over enough copies that what else goes on in the
// process does not count.
func heapOf(build func() any) float64 {
	const least = 1 << 18 // octets, to be measured in
	for copies := 4; ; copies *= 4 {
		kept := make([]any, copies)
		before := heapInUse()
		for i := range kept {
			kept[i] = build()
		}
		after := heapInUse()
		runtime.KeepAlive(kept)
		if after > before && after-before >= least || copies >= 256 {
			return float64(int64(after)-int64(before)) / float64(copies)
		}
	}
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC() // what has a finalizer goes with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func compileCopy(body string) func() any {
	return func() any { return Compile([]byte(body), "FooBot") }
}

func TestBytesKeptForEachRule(t *testing.T) {
	for _, n := range []int{100, 1000, 10_000} {
		f := ordinaryFile(n)
		ours := heapOf(compileCopy(f.body)) / float64(n)
		theirs := heapOf(func() any {
			data, err := robotstxt.FromString(strings.Clone(f.body))
			if err != nil {
				t.Fatal(err)
			}
			return data
		}) / float64(n)
		t.Logf("%d rules: %.0f octets for each rule, temoto keeps %.0f", n, ours, theirs)
		if most := 100.0; ours > most {
			t.Errorf("%d rules: %.0f octets kept for each, want %.0f at most", n, ours, most)
		}
		if most := 0.3 * theirs; ours > most {
			t.Errorf("%d rules: %.0f octets kept for each, want %.0f at most: 0.3 of what temoto keeps", n, ours, most)
		}
	}
}

func TestTheBodyIsNotKeptAlive(t *testing.T) {
	body := "User-agent: *\nDisallow: /a\nSitemap: https://h.example/s.xml\nHost: h.example\n" +
		strings.Repeat("# nothing to see here, move on\n", 15_000)
	if got, most := heapOf(compileCopy(body)), 2000.0; got > most {
		t.Errorf("one rule in a file of %d octets keeps %.0f, want %.0f at most", len(body), got, most)
	}
}

func TestBytesIsWhatIsKept(t *testing.T) {
	files := []testFile{ordinaryFile(3), ordinaryFile(30), ordinaryFile(300), ordinaryFile(3000)}
	files = append(files, testFile{name: "sitemaps", body: strings.Repeat("Sitemap: https://h.example/sitemap.xml\nHost: h\n", 200)})
	files = append(files, hostileFiles(100)[:2]...)
	for _, f := range files {
		kept := heapOf(compileCopy(f.body))
		got := float64(Compile([]byte(f.body), "FooBot").bytes())
		if got < 0.75*kept || got > 1.1*kept {
			t.Errorf("%s: bytes() = %.0f, but %.0f are kept", f.name, got, kept)
		}
	}
}

func TestDecisionsAllocateNothing(t *testing.T) {
	files := []testFile{ordinaryFile(10), ordinaryFile(100), ordinaryFile(1000), ordinaryFile(10_000)}
	if !raceEnabled { // there, pools forget what they hold
		files = append(files, hostileFiles(2000)...)
	}
	for _, f := range files {
		r := Compile([]byte(f.body), "FooBot")
		urls := f.parsed(t)[:min(20, len(f.urls))]
		for i, u := range urls {
			path := f.urls[i]
			if got := testing.AllocsPerRun(5, func() { r.Match(path) }); got != 0 {
				t.Errorf("%s: Match(%.60q) allocates %v times, want 0", f.name, path, got)
			}
			if got := testing.AllocsPerRun(5, func() { r.matchURL(u) }); got > 1 {
				t.Errorf("%s: matchURL(%.60q) allocates %v times, want 1 at most", f.name, u, got)
			}
		}
	}
}

func TestDecisionsForOthersBesidesAllocateNothing(t *testing.T) {
	r := Compile([]byte(groupsFile), "OwnBot", "GPTBot", "CCBot")
	if got := testing.AllocsPerRun(100, func() { r.Match("https://h.example/train?x=1") }); got != 0 {
		t.Errorf("Match allocates %v times, want 0", got)
	}
}
