package collyrobots

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/jimsmart/grobotstxt"
	"github.com/temoto/robotstxt"
)

// What is measured, beside us: each takes a URL and says whether it may be fetched, for a robots.txt that is known already.

// keptRules decides as a crawler does: from the origin of the URL to its rules, from its path and query to the decision. A host
// that is spelt as before is found as it is spelt; only a new spelling is brought into canonical form first.
type keptRules struct {
	spelt map[string]*spelling
	rules map[origin.Origin]*Rules
}

// spelling is the rules for one spelling of a host with its port, for each scheme.
type spelling struct{ http, https *Rules }

func keep(tb testing.TB, f testFile) *keptRules {
	tb.Helper()
	o, err := origin.Of(f.parsed(tb)[0])
	if err != nil {
		tb.Fatal(err)
	}
	return &keptRules{make(map[string]*spelling), map[origin.Origin]*Rules{o.Clone(): Compile([]byte(f.body), "FooBot")}}
}

func (k *keptRules) allowed(u *url.URL) bool {
	s := k.spelt[u.Host]
	if s == nil {
		s = new(spelling)
		k.spelt[u.Host] = s
	}
	rules := &s.https
	if u.Scheme == "http" {
		rules = &s.http
	}
	if *rules == nil {
		o, err := origin.Of(u)
		if err != nil {
			return false
		}
		*rules = k.rules[o]
	}
	return (*rules).allowsURL(u)
}

// collyCheck does what Colly 2.3.0 does for each request once it has the file, with temoto's rules.
type collyCheck struct {
	lock  sync.RWMutex
	files map[string]*robotstxt.RobotsData
}

func newCollyCheck(tb testing.TB, f testFile) *collyCheck {
	tb.Helper()
	data, err := robotstxt.FromString(f.body)
	if err != nil {
		tb.Fatal(err)
	}
	return &collyCheck{files: map[string]*robotstxt.RobotsData{f.parsed(tb)[0].Host: data}}
}

func (c *collyCheck) allowed(u *url.URL) bool {
	c.lock.RLock()
	data := c.files[u.Host]
	c.lock.RUnlock()
	group := data.FindGroup("FooBot")
	path := u.EscapedPath()
	if u.RawQuery != "" {
		path += "?" + u.Query().Encode()
	}
	return group.Test(path)
}

// nothing is a ParseHandler that costs nothing.
type nothing struct{}

func (nothing) HandleRobotsStart()                      {}
func (nothing) HandleRobotsEnd()                        {}
func (nothing) HandleUserAgent(int, string)             {}
func (nothing) HandleAllow(int, string)                 {}
func (nothing) HandleDisallow(int, string)              {}
func (nothing) HandleSitemap(int, string)               {}
func (nothing) HandleUnknownAction(int, string, string) {}

// sectionsFile has n rules of two shapes and one URL, as sites with numbered sections have.
func sectionsFile(n int) testFile {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range n {
		if i%6 == 5 {
			fmt.Fprintf(&b, "Disallow: /*/private%d/*.php$\n", i)
		} else {
			fmt.Fprintf(&b, "Disallow: /section-%d/admin\n", i)
		}
	}
	return testFile{fmt.Sprintf("%d rules for sections", n), b.String(), []string{"http://h.example/section-7/page.html?id=1"}}
}

func BenchmarkMatch(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10_000} {
		for _, f := range []testFile{ordinaryFile(n), sectionsFile(n)} {
			urls := f.parsed(b)
			run := func(name string, allowed func(u *url.URL) bool) {
				b.Run(f.name+"/"+name, func(b *testing.B) {
					b.ReportAllocs()
					for i := 0; b.Loop(); i++ {
						allowed(urls[i%len(urls)])
					}
				})
			}
			run("ours", keep(b, f).allowed)
			run("peer Colly's check", newCollyCheck(b, f).allowed)
			b.Run(f.name+"/peer grobotstxt.AgentAllowed", func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					grobotstxt.AgentAllowed(f.body, "FooBot", f.urls[i%len(f.urls)])
				}
			})
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, f := range []testFile{ordinaryFile(10), ordinaryFile(1000), ordinaryFile(10_000), hostileFiles(2000)[0]} {
		body := []byte(f.body)
		b.Run(f.name+"/ours", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Compile(body, "FooBot")
			}
		})
		b.Run(f.name+"/peer grobotstxt.Parse", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				grobotstxt.Parse(f.body, nothing{})
			}
		})
		b.Run(f.name+"/peer temoto", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := robotstxt.FromString(f.body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkHostile(b *testing.B) {
	for _, f := range hostileFiles(2000) {
		rules := Compile([]byte(f.body), "FooBot")
		b.Run(f.name+"/ours", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				rules.Match(f.urls[i%len(f.urls)])
			}
		})
		b.Run(f.name+"/peer grobotstxt.AgentAllowed", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				grobotstxt.AgentAllowed(f.body, "FooBot", f.urls[i%len(f.urls)])
			}
		})
	}
}
