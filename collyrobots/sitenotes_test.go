package collyrobots

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// notesOf renders what was kept: line, scope, name, value.
func notesOf(r *Rules) []string {
	var out []string
	for _, rec := range r.notes.records {
		scope := [...]string{"site", "ours", "also", "other"}[rec.scope]
		out = append(out, fmt.Sprintf("%d %s %v: %s", rec.line, scope, rec.kind, r.notes.valueOf(rec)))
	}
	return out
}

func TestKnownRecordsAreKeptWithTheirScope(t *testing.T) {
	body := strings.Join([]string{
		"License: https://h.example/license.xml",
		"Content-Signal: search=yes",
		"User-agent: OwnBot",
		"Content-Usage: /a train-ai=n # as it stands: %c3%9f ß",
		"User-agent: GPTBot",
		"content-signal : ai-train=no",
		"Disallow: /",
		"Request-rate: 1/5",
		"User-agent: GPTBot",
		"Visit-time: 0200-0430",
		"User-agent: *",
		"Noindex: /star",
		"Host: h.example",
		"Invented: 7",
		"Crawl-delay: 3",
		"Sitemap: https://h.example/s.xml",
	}, "\n")
	for _, tt := range []struct {
		token string
		also  []string
		want  []string
	}{
		{"OwnBot", nil, []string{
			"1 site license: https://h.example/license.xml",
			"2 site content-signal: search=yes",
			"4 ours content-usage: /a train-ai=n",
			"6 ours content-signal: ai-train=no",
			"8 ours request-rate: 1/5",
			"13 other host: h.example",
		}},
		{"OwnBot", []string{"GPTBot"}, []string{
			"1 site license: https://h.example/license.xml",
			"2 site content-signal: search=yes",
			"4 ours content-usage: /a train-ai=n",
			"6 ours content-signal: ai-train=no",
			"8 ours request-rate: 1/5",
			"10 also visit-time: 0200-0430",
			"12 also noindex: /star", // no rule stands between GPTBot and "*": one group
			"13 also host: h.example",
		}},
		{"Stranger", nil, []string{
			"1 site license: https://h.example/license.xml",
			"2 site content-signal: search=yes",
			"12 ours noindex: /star",
			"13 ours host: h.example",
		}},
	} {
		if diff := cmp.Diff(tt.want, notesOf(Compile([]byte(body), tt.token, tt.also...))); diff != "" {
			t.Errorf("records kept for %s that also obeys %q (-want +got):\n%s", tt.token, tt.also, diff)
		}
	}
}

// Escapes and octets outside ASCII stay as they are: these values are no paths to be compared.
func TestKnownRecordsAreKeptAsTheyStand(t *testing.T) {
	r := Compile([]byte("User-agent: *\nClean-param: ref%3c&ü /forum/\n"), "FooBot")
	want := []string{"2 ours clean-param: ref%3c&ü /forum/"}
	if diff := cmp.Diff(want, notesOf(r)); diff != "" {
		t.Errorf("records kept (-want +got):\n%s", diff)
	}
}

func TestKnownRecordsAreBounded(t *testing.T) {
	long := "Content-Usage: " + strings.Repeat("x", 200<<10)
	flood := repeatTo(parsingLimit-len(long)-100, func(i int) string { return fmt.Sprintf("User-agent: B\nHost: h%d.example\nDisallow: /\n", i) })
	body := flood + long + "\nUser-agent: FooBot\nContent-Signal: ai-train=no\n"
	r := Compile([]byte(body), "FooBot")
	got := notesOf(r)
	if last := got[len(got)-1]; !strings.HasSuffix(last, "ours content-signal: ai-train=no") {
		t.Errorf("the last record kept is %q: others have crowded out ours", last)
	}
	if got, most := len(r.notes.records), keptRecords+1; got > most {
		t.Errorf("%d records kept, want %d at most", got, most)
	}
	if r.notes.dropped == 0 {
		t.Error("no record counted as left out")
	}
	if got, most := r.bytes(), 64<<10; got > most {
		t.Errorf("bytes() = %d, want %d at most", got, most)
	}
}
