package collyrobots

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jimsmart/grobotstxt"
)

func linesOf(body string) []string {
	var got []string
	for l := newBodyLines(body); ; {
		line, ok := l.next()
		if !ok {
			return got
		}
		got = append(got, line)
	}
}

func TestLinesEndAtLFAndCRAndBothTogether(t *testing.T) {
	for _, tt := range []struct {
		body string
		want []string
	}{
		{"", []string{""}},
		{"a", []string{"a"}},
		{"a\nb\n", []string{"a", "b", ""}},
		{"a\rb\r", []string{"a", "b", ""}},
		{"a\r\nb\r\n", []string{"a", "b", ""}},
		{"a\n\rb", []string{"a", "", "b"}},
		{"a\r\r\nb", []string{"a", "", "b"}},
		{"a\u2028b\vc\fd", []string{"a\u2028b\vc\fd"}},
		{"\uFEFFa\n\uFEFFb", []string{"a", "\uFEFFb"}},
		{"\xEF\xBBa", []string{"a"}},
		{"\xEFa", []string{"a"}},
		{"\xFF\xFEa", []string{"\xFF\xFEa"}},
		{"\uFEFF", []string{""}},
	} {
		if diff := cmp.Diff(tt.want, linesOf(tt.body)); diff != "" {
			t.Errorf("lines of %q (-want +got):\n%s", tt.body, diff)
		}
	}
}

// recordLines notes the lines in which grobotstxt finds records, with their numbers.
type recordLines map[int]string

func (r recordLines) HandleRobotsStart()                     {}
func (r recordLines) HandleRobotsEnd()                       {}
func (r recordLines) HandleUserAgent(n int, v string)        { r[n] = v }
func (r recordLines) HandleAllow(n int, v string)            { r[n] = v }
func (r recordLines) HandleDisallow(n int, v string)         { r[n] = v }
func (r recordLines) HandleSitemap(n int, v string)          { r[n] = v }
func (r recordLines) HandleUnknownAction(n int, _, v string) { r[n] = v }

// Whatever the line ends, the line that grobotstxt gives a number to is the one that is read.
func TestLinesHaveTheNumbersOfGrobotstxt(t *testing.T) {
	r := rand.New(rand.NewPCG(9309, 2))
	parts := []string{"\n", "\r", "\r\n", "\n\n", "\r\r", "\n\r", "# c\n", "  ", "sitemap: 1\n", "sitemap:", "\r\r\n"}
	marks := []string{"", "\uFEFF", "\xEF", "\xEF\xBB", "\n"}
	for range 20_000 {
		var b strings.Builder
		b.WriteString(marks[r.IntN(len(marks))])
		for i := range r.IntN(12) {
			b.WriteString(parts[r.IntN(len(parts))])
			if r.IntN(2) == 0 {
				fmt.Fprintf(&b, "sitemap: v%d", i)
			}
		}
		body := b.String()
		found := recordLines{}
		grobotstxt.Parse(body, found)
		lines := linesOf(body)
		for number, value := range found {
			if number > len(lines) {
				t.Fatalf("body %q: grobotstxt finds %q in line %d of %d", body, value, number, len(lines))
			}
			if _, got, _ := splitRecord(lines[number-1]); got != value {
				t.Fatalf("body %q: line %d holds %q, grobotstxt finds %q", body, number, got, value)
			}
		}
	}
}

func TestRecordsInALine(t *testing.T) {
	for _, tt := range []struct {
		line, name, value string
		ok                bool
	}{
		{"Disallow: /a", "Disallow", "/a", true},
		{"Disallow:/a", "Disallow", "/a", true},
		{" \t Disallow \t : \t /a \t # c: d", "Disallow", "/a", true},
		{"Disallow:", "Disallow", "", true},
		{"Disallow: # /a", "Disallow", "", true},
		{"Disallow: /a:b", "Disallow", "/a:b", true},
		{"Disallow: /a b", "Disallow", "/a b", true},
		{"Disallow:\v/a\f", "Disallow", "/a", true},
		{"Disallow: /a\u00A0", "Disallow", "/a\u00A0", true},
		{"Disallow /a", "Disallow", "/a", true}, // the ":" is missing
		{"Disallow\t/a", "Disallow", "/a", true},
		{"user agent: x", "user agent", "x", true},
		{"Disallow /a /b", "", "", false},
		{"Disallow", "", "", false},
		{"Disallow ", "", "", false},
		{": /a", "", "", false},
		{"# Disallow: /a", "", "", false},
		{"", "", "", false},
	} {
		name, value, ok := splitRecord(tt.line)
		if ok != tt.ok || ok && (name != tt.name || value != tt.value) {
			t.Errorf("splitRecord(%q) = %q, %q, %v, want %q, %q, %v", tt.line, name, value, ok, tt.name, tt.value, tt.ok)
		}
	}
}

func TestTheLimitCutsAtTheLastWholeLine(t *testing.T) {
	for _, tt := range []struct {
		body  string
		limit int
		want  string
	}{
		{"ab\ncd\nef", 8, "ab\ncd\nef"},
		{"ab\ncd\nef", 7, "ab\ncd\n"},
		{"ab\ncd\nef", 6, "ab\ncd\n"},
		{"ab\ncd\nef", 5, "ab\ncd"}, // the line ends right at the limit
		{"ab\ncd\nef", 4, "ab\n"},
		{"ab\rcd\ref", 5, "ab\rcd"},
		{"ab\rcd\ref", 4, "ab\r"},
		{"abcdef", 4, ""},
		{"abcdef", 0, ""},
		{"\nab", 0, ""},
	} {
		if got := string(wholeLines([]byte(tt.body), tt.limit)); got != tt.want {
			t.Errorf("wholeLines(%q, %d) = %q, want %q", tt.body, tt.limit, got, tt.want)
		}
	}
}
