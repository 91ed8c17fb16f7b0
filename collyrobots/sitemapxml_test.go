package collyrobots

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

const urlset = `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`

// locations is what a sitemap names: "http://a/1@2026-01-02 http://a/2".
func locations(f sitemapFile) string {
	var out []string
	for _, e := range f.entries {
		text := e.location
		if e.modified != "" {
			text += "@" + e.modified
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func gzipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.String()
}

func TestSitemapsAreRead(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		index            bool
	}{
		{"a urlset", urlset + "<url><loc>http://a/1</loc><lastmod>2026-01-02</lastmod></url><url><loc>http://a/2</loc></url></urlset>", "http://a/1@2026-01-02 http://a/2", false},
		{"an index", `<sitemapindex><sitemap><loc>http://a/1.xml</loc><lastmod>2026</lastmod></sitemap></sitemapindex>`, "http://a/1.xml@2026", true},
		{"blanks, lines, references, CDATA, comments", urlset + "\n<url>\n <loc>\n http://a/?x=1&amp;y=&#50;<!-- x --><![CDATA[&z=<3>]]>\n </loc> </url></urlset>\n", "http://a/?x=1&y=2&z=<3>", false},
		{"a bare ampersand", urlset + "<url><loc>http://a/?x=1&y=2</loc></url></urlset>", "http://a/?x=1&y=2", false},
		{"a prefix", `<s:urlset xmlns:s="x"><s:url><s:loc>http://a/1</s:loc></s:url></s:urlset>`, "http://a/1", false},
		{"pictures and other languages", urlset + `<url><image:image><image:loc>http://a/p.jpg</image:loc></image:image><xhtml:link href="http://a/de"/><image:loc>http://a/q.jpg</image:loc><loc>http://a/1</loc></url></urlset>`, "http://a/1", false},
		{"two locations in one entry", urlset + "<url><loc>http://a/1</loc><loc>http://a/2</loc></url></urlset>", "http://a/1", false},
		{"an entry without a location", urlset + "<url><lastmod>2026</lastmod></url><url><loc> </loc></url><url/></urlset>", "", false},
		{"a location outside of an entry", urlset + "<loc>http://a/1</loc><x><loc>http://a/2</loc></x></urlset>", "", false},
		{"sitemaps in a urlset", urlset + "<sitemap><loc>http://a/1.xml</loc></sitemap></urlset>", "", false},
		{"an empty urlset", "<urlset/>", "", false},
		{"a doctype", `<!DOCTYPE urlset [ <!ENTITY x "y"> ]><urlset><url><loc>http://a/&x;1</loc></url></urlset>`, "http://a/&x;1", false},
		{"behind the root", "<urlset></urlset><urlset><url><loc>http://a/1</loc></url></urlset>", "", false},
		{"a byte order mark", "\xEF\xBB\xBF<urlset><url><loc>http://a/1</loc></url></urlset>", "http://a/1", false},
		{"another character set", `<?xml version="1.0" encoding="ISO-8859-1"?><urlset><url><loc>http://a/` + "\xE9" + `</loc></url></urlset>`, "http://a/é", false},
		{"gzipped", gzipped(urlset + "<url><loc>http://a/1</loc></url></urlset>"), "http://a/1", false},
		{"gzipped twice", gzipped(gzipped(urlset + "<url><loc>http://a/1</loc></url></urlset>")), "http://a/1", false},
		{"a text", "\xEF\xBB\xBFhttp://a/1\r\n\n  http://a/2  \nhttp://a/3", "http://a/1 http://a/2 http://a/3", false},
		{"a text, gzipped", gzipped("http://a/1\n"), "http://a/1", false},
		{"nothing", "", "", false},
		{"blanks", " \n\t ", "", false},
	} {
		f, err := readSitemap(strings.NewReader(tt.text), sitemapLimit)
		if got := locations(f); got != tt.want || f.index != tt.index || err != nil {
			t.Errorf("%s: %q, index %v, %v, want %q, index %v", tt.name, got, f.index, err, tt.want, tt.index)
		}
	}
}

// What stands before the fault counts, and the fault is told.
func TestSitemapsThatCannotBeReadToTheirEnd(t *testing.T) {
	const one = "<urlset><url><loc>http://a/1</loc></url>"
	whole := gzipped(one + strings.Repeat("<url><loc>http://a/1</loc></url>", 10_000))
	for _, tt := range []struct {
		name, text, want string
		err              error // nil: any
	}{
		{"it ends in the middle", one, "http://a/1", errSitemapCut},
		{"it ends in a tag", one + "<url><lo", "http://a/1", nil},
		{"it is no XML", one + "<url><<", "http://a/1", nil},
		{"a page", "<!doctype html><html><body>Not found</body></html>", "", nil},
		{"a feed", "<rss><channel></channel></rss>", "", nil},
		{"octets that are no UTF-8", one + "<url><loc>\xFF</loc></url></urlset>", "http://a/1", nil},
		{"a character set that nobody knows", `<?xml version="1.0" encoding="x-none"?><urlset/>`, "", nil},
		{"the gzip ends in the middle", whole[:30], "", nil},
		{"no gzip but its first octets", "\x1F\x8B and so on", "", nil},
		{"very deep", one + strings.Repeat("<a>", 100), "http://a/1", errDeepXML},
	} {
		f, err := readSitemap(strings.NewReader(tt.text), sitemapLimit)
		if got := locations(f); got != tt.want || err == nil || tt.err != nil && !errors.Is(err, tt.err) {
			t.Errorf("%s: %q, %v, want %q and the error %v", tt.name, got, err, tt.want, tt.err)
		}
	}
}

// endless repeats a text up to a length.
type endless struct {
	text string
	left int
	at   int
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) && e.left > 0 {
		c := copy(p[n:], e.text[e.at:])
		e.at = (e.at + c) % len(e.text)
		n += c
		e.left -= c
	}
	if n == 0 {
		err = io.EOF
	}
	return n, err
}

func TestSitemapsFromAStrangerAreBounded(t *testing.T) {
	const far = 1 << 40
	small := sitemapLimits{octets: 1 << 20, entries: 1000, token: 64 << 10} // so that it does not take long; the costs grow with them
	for _, tt := range []struct {
		name, head, text string
		want             error
		entries          int
	}{
		{"too many entries", "<urlset>", "<url><loc>http://a/1</loc></url>", errSitemapTooMany, 1000},
		{"too many lines", "", "http://a/1\n", errSitemapTooMany, 1000},
		{"too many octets", "<urlset>", "<x></x> ", errSitemapTooLong, 0},
		{"elements that are not closed", "<urlset>", "<a>", errDeepXML, 0},
		{"end tags alone", "<urlset>", "</a>", nil, 0}, // the root is closed by the first
		{"a tag without an end", "<urlset><url ", `a="b" `, errTokenTooLong, 0},
		{"a text without an end", "<urlset><url><loc>", "x", errTokenTooLong, 0},
		{"a comment without an end", "<urlset><!--", "x", errTokenTooLong, 0},
		{"a doctype without an end", "<!DOCTYPE x [", "<!ENTITY a 'b'>", errTokenTooLong, 0},
		{"a line without an end", "", "x", errTokenTooLong, 0},
		{"blanks without an end", "", " ", errSitemapTooLong, 0},
		{"another character set, without an end", `<?xml version="1.0" encoding="ISO-8859-1"?><urlset><url><loc>`, "x", errTokenTooLong, 0},
	} {
		var before, now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := time.Now()
		f, err := readSitemap(io.MultiReader(strings.NewReader(tt.head), &endless{text: tt.text, left: far}), small)
		took := time.Since(start)
		runtime.GC() // what it kept counts, not what the collector has not come to yet
		runtime.ReadMemStats(&now)
		if !errors.Is(err, tt.want) || len(f.entries) != tt.entries {
			t.Errorf("%s: %d entries, %v, want %d, %v", tt.name, len(f.entries), err, tt.entries, tt.want)
		}
		if got, most := now.HeapAlloc-min(before.HeapAlloc, now.HeapAlloc), uint64(4<<20); got > most {
			t.Errorf("%s: the heap has grown by %d octets, want %d at most", tt.name, got, most)
		}
		if took > time.Minute {
			t.Errorf("%s took %v", tt.name, took)
		}
	}
}

func TestTheLimitsAreThoseOfSitemapsOrg(t *testing.T) {
	if got, want := sitemapLimit, (sitemapLimits{52_428_800, 50_000, 1 << 20}); got != want || mostLocation != 2048 {
		t.Errorf("limits %+v, want %+v", got, want)
	}
}

func TestAGzipBombIsCutOff(t *testing.T) {
	small := sitemapLimits{octets: 1 << 20, entries: 1000, token: 8 << 20}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := io.Copy(z, io.MultiReader(strings.NewReader("<urlset>"), &endless{text: strings.Repeat(" ", 1024), left: 8 << 20})); err != nil {
		t.Fatal(err)
	}
	_ = z.Close()
	for name, text := range map[string]string{"once": bomb.String(), "twice": gzipped(bomb.String())} {
		if _, err := readSitemap(strings.NewReader(text), small); !errors.Is(err, errSitemapTooLong) {
			t.Errorf("%d octets that were packed %s: %v, want that they are too many", len(text), name, err)
		}
	}
	// Empty members unpack to nothing, for ever.
	empty := gzipped("")
	if _, err := readSitemap(&endless{text: empty, left: 1 << 40}, small); !errors.Is(err, errSitemapTooLong) {
		t.Errorf("gzip members with nothing in them: %v, want %v", err, errSitemapTooLong)
	}
}

func TestLongLocationsAreLeftOut(t *testing.T) {
	long := "http://a/" + strings.Repeat("x", mostLocation)
	f, err := readSitemap(strings.NewReader(fmt.Sprintf("<urlset><url><loc>%s</loc></url><url><loc>http://a/1</loc></url></urlset>", long)), sitemapLimit)
	if got := locations(f); got != "http://a/1" || f.long != 1 || err != nil {
		t.Errorf("%q, %d too long, %v, want the short one alone", got, f.long, err)
	}
}

func TestDatesOfSitemaps(t *testing.T) {
	for _, tt := range []struct{ in, first, last string }{
		{"2026-03-14T15:04:05Z", "2026-03-14T15:04:05Z", "2026-03-14T15:04:06Z"},
		{"2026-03-14T15:04:05.25+02:00", "2026-03-14T13:04:05.25Z", "2026-03-14T13:04:06.25Z"},
		{"2026-03-14T15:04:05-0700", "2026-03-14T22:04:05Z", "2026-03-14T22:04:06Z"},
		{"2026-03-14T15:04+01:00", "2026-03-14T14:04:00Z", "2026-03-14T14:05:00Z"},
		{"2026-03-14T15:04:05", "2026-03-14T15:04:05Z", "2026-03-15T03:04:06Z"},
		{"2026-03-14 15:04", "2026-03-14T15:04:00Z", "2026-03-15T03:05:00Z"},
		{"2026-03-14", "2026-03-14T00:00:00Z", "2026-03-15T12:00:00Z"},
		{"2026-03", "2026-03-01T00:00:00Z", "2026-04-01T12:00:00Z"},
		{"2026", "2026-01-01T00:00:00Z", "2027-01-01T12:00:00Z"},
	} {
		got := parseModification(tt.in)
		if got.first.UTC().Format(time.RFC3339Nano) != tt.first || got.last.UTC().Format(time.RFC3339Nano) != tt.last {
			t.Errorf("parseModification(%q) = %v to %v, want %s to %s", tt.in, got.first, got.last, tt.first, tt.last)
		}
	}
	for _, in := range []string{"", "yesterday", "14.03.2026", "2026-3-14", "2026-13-01", "20260314", strings.Repeat("2026", 100)} {
		if got := parseModification(in); got != (modification{}) || got.before(testNow) {
			t.Errorf("parseModification(%q) = %+v, want none, which is never certain to be old", in, got)
		}
	}
}

func FuzzSitemap(f *testing.F) {
	for _, s := range []string{urlset + "<url><loc>http://a/1</loc><lastmod>2026-01-02</lastmod></url></urlset>", "<sitemapindex><sitemap><loc>http://a/1.xml</loc></sitemap></sitemapindex>",
		"http://a/1\nhttp://a/2", gzipped("<urlset/>"), "\x1f\x8b", "<!DOCTYPE x [<!ENTITY a 'b'>]><urlset><url><loc>&a;</loc></url>", `<?xml version="1.0" encoding="utf-16"?><urlset>`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := readSitemap(bytes.NewReader(text), sitemapLimit)
		for _, e := range file.entries {
			if e.location == "" || len(e.location) > mostLocation || e.location != trimSpace(e.location) {
				t.Errorf("%q: the location %q", text, e.location)
			}
			if m := parseModification(e.modified); m.last.Before(m.first) {
				t.Errorf("%q: modified %v to %v", text, m.first, m.last)
			}
		}
		again, errAgain := readSitemap(bytes.NewReader(text), sitemapLimit)
		if locations(file) != locations(again) || (err == nil) != (errAgain == nil) {
			t.Errorf("%q read twice: %v, %v", text, err, errAgain)
		}
	})
}
