package collyrobots

import (
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// vector is one decision that RFC 9309, or the practice around it, asks for. Those with the label "may" are open: implementations
// differ, and the test only reports where we do.
type vector struct {
	ID         string   `json:"id"`
	Robots     string   `json:"robots"`
	RobotsB64  []byte   `json:"robots_b64"` // where the body is no UTF-8
	Agent      string   `json:"agent"`
	URL        string   `json:"url"`
	Allow      bool     `json:"allow"`
	CrawlDelay *float64 `json:"crawl_delay"` // seconds; null: none
	Why        string   `json:"why"`
	RFC        string   `json:"rfc"` // must, should, de-facto, may
}

func (v *vector) body() []byte {
	if v.RobotsB64 != nil {
		return v.RobotsB64
	}
	return []byte(v.Robots)
}

func readVectors(t testing.TB) []vector {
	t.Helper()
	file, err := os.Open("testdata/robots.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var vectors []vector
	for d := json.NewDecoder(file); ; {
		var v vector
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			return vectors
		} else if err != nil {
			t.Fatal(err)
		}
		vectors = append(vectors, v)
	}
}

func TestVectors(t *testing.T) {
	held, open := map[string]int{}, map[string]int{}
	for _, v := range readVectors(t) {
		r := Compile(v.body(), v.Agent)
		fail := func(format string, args ...any) {
			if v.RFC == "may" {
				open[v.ID]++
				t.Logf("%s (may): "+format+": %s", append(append([]any{v.ID}, args...), v.Why)...)
				return
			}
			t.Errorf("%s (%s): "+format+": %s", append(append([]any{v.ID, v.RFC}, args...), v.Why)...)
		}
		m := r.Match(v.URL)
		if m.Allowed != v.Allow {
			fail("Match(%.200q).Allowed = %v, want %v", v.URL, m.Allowed, v.Allow)
		}
		d, ok := r.CrawlDelay()
		switch {
		case v.CrawlDelay == nil && ok:
			fail("CrawlDelay() = %v, want none", d)
		case v.CrawlDelay != nil && (!ok || d != seconds(*v.CrawlDelay)):
			fail("CrawlDelay() = %v, %v, want %v", d, ok, seconds(*v.CrawlDelay))
		}
		if u, err := url.Parse(v.URL); err == nil {
			// net/url sends some paths in another form than they were written in; that form is the one that counts.
			if got, want := r.matchURL(u), r.Match("https://h.example"+u.RequestURI()); got != want {
				fail("matchURL(%.200q) = %.200v, want %.200v", v.URL, got, want)
			}
		}
		checkRule(t, v.body(), m)
		held[v.RFC]++
	}
	if held["must"] == 0 || held["should"] == 0 || held["de-facto"] == 0 || held["may"] == 0 {
		t.Errorf("vectors read: %v, want some of each label", held)
	}
	t.Logf("vectors: %v; of those that may be read either way %d are read the other way", held, len(open))
}

func seconds(s float64) time.Duration { return time.Duration(s*1e9 + 0.5) }

// checkRule checks that the line of a match holds a rule of its kind.
func checkRule(t *testing.T, body []byte, m Match) {
	t.Helper()
	if m.Line == 0 {
		if !m.Allowed || m.Rule != "" {
			t.Errorf("Match = %+v: no line, but a decision", m)
		}
		return
	}
	lines := newBodyLines(string(body))
	for lines.number < m.Line-1 {
		lines.next()
	}
	line, _ := lines.next()
	kind, label := disallowRecord, "disallow: "
	if m.Allowed {
		kind, label = allowRecord, "allow: "
	}
	name, _, ok := splitRecord(line)
	if !ok || recordKindOf(name) != kind || !strings.HasPrefix(m.Rule, label) {
		t.Errorf("Match = %.200v, but line %d is %.100q", m, m.Line, line)
	}
}
