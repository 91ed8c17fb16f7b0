package collyrobots

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

var testNow = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// field is a header with one field of several lines.
func field(name string, lines ...string) http.Header {
	return http.Header{http.CanonicalHeaderKey(name): lines}
}

func problems(s Signals) []string {
	var out []string
	for _, p := range s.Problems {
		out = append(out, p.Source.Raw+": "+p.Text)
	}
	return out
}

func TestXRobotsTag(t *testing.T) {
	const both, all = "index=deny follow=deny search=deny", "index=deny search=deny"
	for _, tt := range []struct {
		name     string
		lines    []string
		want     string
		problems int
	}{
		{"1", []string{"noindex"}, all, 0},
		{"2 rules for another", []string{"otherbot: noindex, nofollow"}, "", 0},
		{"3, OP-01 an agent is in force to the end of its line", []string{"otherbot: noindex", "nofollow"}, "follow=deny", 0},
		{"4 an agent is in force to the next one", []string{"AcmeBot: nofollow, otherbot: noindex"}, "follow=deny", 0},
		{"5 rules for everybody and for us add up", []string{"nofollow", "acmebot: noindex"}, both, 0},
		{"6 a date, then a rule", []string{"unavailable_after: 25 Jun 2010 15:00:00 PST, noindex"}, all, 0},
		{"7 a date with a comma in it", []string{"unavailable_after: Saturday, 25-Jun-11 15:00:00 GMT, nofollow"}, both, 0},
		{"7 one that is to come", []string{"unavailable_after: Saturday, 25-Jun-44 15:00:00 GMT, nofollow"}, "follow=deny", 0},
		{"8 all cancels nothing", []string{"all, noindex"}, all, 0},
		{"8 in whatever order", []string{"noindex, all", "index, follow"}, all, 0},
		{"9, OP-02 a rule that is not known hides no other", []string{"max-foo: 10, noindex"}, all, 1},
		{"10 a name that is no product token", []string{"archive.org_bot: noindex"}, "", 0},
		{"OP-04 a date that cannot be read", []string{"unavailable_after: soon"}, "", 1},
		{"OP-04 and the rule behind it", []string{"unavailable_after: soon, noindex"}, all, 1},
		{"OP-04 of another", []string{"otherbot: unavailable_after: soon"}, "", 0},
		{"a date for another", []string{"otherbot: unavailable_after: 25 Jun 2010 15:00:00 PST, noindex"}, "", 0},
		{"a date with a comma for another", []string{"otherbot: unavailable_after: Sat, 25 Jun 2011 15:00:00 GMT, acmebot: nofollow"}, "follow=deny", 0},
		{"a date for us", []string{"AcmeBot: unavailable_after: 2010-06-25"}, all, 0},
		{"none is noindex and nofollow", []string{"none"}, both, 0},
		{"case and blanks", []string{"  NoIndex\t,\tNOFOLLOW "}, both, 0},
		{"noarchive, nocache", []string{"noarchive", "nocache"}, "archive=deny", 0},
		{"nosnippet", []string{"nosnippet"}, "snippet=deny", 0},
		{"max-snippet of nothing", []string{"max-snippet:0"}, "snippet=deny", 0},
		{"max-snippet of something", []string{"max-snippet: 20, max-image-preview:none, max-video-preview: 0, max-snippet:-1"}, "", 0},
		{"max-snippet of no number", []string{"max-snippet: many, noarchive"}, "archive=deny", 1},
		{"noai denies both", []string{"noai"}, "ai-input=deny ai-train=deny", 0},
		{"noimageai alone leaves the text unknown", []string{"noimageai"}, "", 0},
		{"everybody by name", []string{"*: noindex", "robots: nofollow"}, both, 0},
		{"a name is compared whole", []string{"Acme: noindex", "AcmeBotNet: noindex"}, "", 0},
		{"what is no token is no name", []string{"AcmeBot/1.0: noindex"}, "", 1},
		{"an agent without a rule is no agent", []string{"otherbot: , noindex"}, all, 1},
		{"an agent before an unknown rule is no agent", []string{"otherbot: foo, noindex"}, all, 1},
		{"a rule is no agent", []string{"noindex: nofollow"}, both, 1},
		{"blanks in place of commas", []string{"noindex nofollow"}, both, 1},
		{"semicolons in place of commas", []string{"noindex; nofollow"}, both, 1},
		{"blanks behind an agent", []string{"otherbot: noindex nofollow"}, "", 0},
		{"no words glued together", []string{"noindexnofollow", "no-index", "xnoindex"}, "", 3},
		{"empty parts", []string{",, ,noindex,,", ""}, all, 0},
		{"words without a meaning here", []string{"notranslate, noodp, noydir, indexifembedded"}, "", 0},
		{"a colon and nothing else", []string{":", ": noindex"}, all, 0},
	} {
		s := HeaderSignals(field("X-Robots-Tag", tt.lines...), "AcmeBot", testNow)
		if got := verdicts(s); got != tt.want || len(s.Problems) != tt.problems {
			t.Errorf("%s: %q says %q, problems %q, want %q, %d problems", tt.name, tt.lines, got, problems(s), tt.want, tt.problems)
		}
	}
}

func TestUnavailableAfterIsKept(t *testing.T) {
	s := HeaderSignals(field("X-Robots-Tag", "unavailable_after: 25 Jun 2010 15:00:00 PST, noindex"), "AcmeBot", testNow)
	if want := time.Date(2010, 6, 25, 23, 0, 0, 0, time.UTC); !s.NotAfter.Equal(want) {
		t.Errorf("NotAfter = %v, want %v", s.NotAfter, want)
	}
	s = HeaderSignals(field("X-Robots-Tag", "unavailable_after: 2030-01-01", "unavailable_after: 2028-01-01", "otherbot: unavailable_after: 2001-01-01"), "AcmeBot", testNow)
	if want := time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC); !s.NotAfter.Equal(want) || verdicts(s) != "" {
		t.Errorf("NotAfter = %v, verdicts %q, want the first date, %v, and nothing denied before it", s.NotAfter, verdicts(s), want)
	}
	if s := HeaderSignals(field("X-Robots-Tag", "unavailable_after: 2028-01-01"), "AcmeBot", time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC)); verdicts(s) != "index=deny search=deny" {
		t.Errorf("at its date the page says %q, want what noindex says", verdicts(s))
	}
}

func TestWhatIsSaidOfImages(t *testing.T) {
	image := http.Header{"Content-Type": {"Image/PNG"}, "X-Robots-Tag": {"noai"}}
	if got, want := verdicts(HeaderSignals(image, "AcmeBot", testNow)), "ai-input=deny ai-train=deny"; got != want {
		t.Errorf("5 an image with noai: %q, want %q", got, want)
	}
	image["X-Robots-Tag"] = []string{"noimageai"}
	if got, want := verdicts(HeaderSignals(image, "AcmeBot", testNow)), "ai-input=deny ai-train=deny"; got != want {
		t.Errorf("an image with noimageai: %q, want %q", got, want)
	}
	page := HeaderSignals(http.Header{"Content-Type": {"text/html"}, "X-Robots-Tag": {"noimageai"}}, "AcmeBot", testNow)
	if v, _ := page.Verdict(AITrain); v != Unknown {
		t.Errorf("6 the text of a page with noimageai: %v, want %v", v, Unknown)
	}
	if v, src := page.Images(AITrain); v != Deny || len(src) != 1 {
		t.Errorf("6 the images of a page with noimageai: %v by %v, want %v", v, src, Deny)
	}
	page = HeaderSignals(field("X-Robots-Tag", "noai"), "AcmeBot", testNow)
	if v, _ := page.Images(AIInput); v != Deny {
		t.Errorf("4 the images of a page with noai: %v, want %v", v, Deny)
	}
	page = HeaderSignals(http.Header{}, "AcmeBot", testNow)
	for u := range uses {
		if v, src := page.Images(u); v != Unknown || src != nil {
			t.Errorf("7 the images of a page without signals, for %v: %v by %v, want %v", u, v, src, Unknown)
		}
	}
}

func TestRulesForThoseThatAreObeyedToo(t *testing.T) {
	h := field("X-Robots-Tag", "gptbot: noai", "ccbot: noindex", "otherbot: nofollow")
	if got, want := verdicts(HeaderSignals(h, "AcmeBot", testNow, "GPTBot", "CCBot")), "index=deny search=deny ai-input=deny ai-train=deny"; got != want {
		t.Errorf("for one who obeys GPTBot and CCBot too: %q, want %q", got, want)
	}
	if got := verdicts(HeaderSignals(h, "", testNow)); got != "" {
		t.Errorf("for one without a name: %q, want nothing", got)
	}
	if got, want := verdicts(HeaderSignals(field("X-Robots-Tag", "acmebot: noai"), "AcmeBot/1.0 (+https://acme.example/bot)", testNow)), "ai-input=deny ai-train=deny"; got != want {
		t.Errorf("for one who is named by a User-Agent: %q, want %q", got, want)
	}
}

func TestOtherFieldsOfAHeader(t *testing.T) {
	for _, tt := range []struct {
		name     string
		header   http.Header
		want     string
		problems int
	}{
		{"2.4 1", field("Content-Usage", "train-ai=n"), "ai-train=deny", 0},
		{"2.4 2", field("Content-Usage", "train-ai=n", "search=y"), "search=allow ai-train=deny", 0},
		{"2.4 3", field("Content-Usage", `train-ai=y, train-ai, search=n, search="n"`), "", 0},
		{"2.4 4", field("Content-Usage", "Train-AI=n"), "", 1},
		{"2.4 5", field("Content-Usage", "train-ai=no"), "", 0},
		{"2.4 9", field("Content-Usage", "train-ai=n;x=1"), "ai-train=deny", 0},
		{"a header knows no path", field("Content-Usage", "/a train-ai=n"), "", 1},
		{"Content-Signal as a header", field("Content-Signal", "search=yes, ai-train=no", "ai-input=maybe"), "search=allow ai-train=deny", 1},
		{"2.6 reserved", field("tdm-reservation", "1"), "ai-train=deny tdm=deny", 0},
		{"2.6 not reserved says nothing of training", field("tdm-reservation", " 0 "), "tdm=allow", 0},
		{"2.6 4 anything else is unset", field("tdm-reservation", "true", "2", "01", ""), "", 4},
		{"2.6 reserved once is reserved", field("tdm-reservation", "0", "1"), "ai-train=deny tdm=deny", 0},
		{"all together", http.Header{"X-Robots-Tag": {"noarchive"}, "Content-Usage": {"train-ai=y"}, "Tdm-Reservation": {"1"}, "Content-Signal": {"ai-input=yes"}},
			"archive=deny ai-input=allow ai-train=deny tdm=deny", 0},
		{"nothing", http.Header{}, "", 0},
		{"no header", nil, "", 0},
	} {
		s := HeaderSignals(tt.header, "AcmeBot", testNow)
		if got := verdicts(s); got != tt.want || len(s.Problems) != tt.problems {
			t.Errorf("%s: %v says %q, problems %q, want %q, %d problems", tt.name, tt.header, got, problems(s), tt.want, tt.problems)
		}
	}
}

func TestSourcesSayWhereAndWhat(t *testing.T) {
	s := HeaderSignals(http.Header{"X-Robots-Tag": {"otherbot: noindex, AcmeBot: noai"}, "Content-Usage": {"train-ai=n"}}, "AcmeBot", testNow)
	_, got := s.Verdict(AITrain)
	want := []Source{
		{Kind: "x-robots-tag", Where: "header", Agent: "AcmeBot", Raw: "noai"},
		{Kind: "content-usage", Where: "header", Agent: "*", Raw: "train-ai=n"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("sources of ai-train = %+v, want %+v", got, want)
	}
	if got, want := s.Raw, "otherbot: noindex, AcmeBot: noai"; len(got) != 2 || got[0].Raw != want {
		t.Errorf("Raw = %+v, want the whole of both lines", got)
	}
}

func TestHeadersFromAStrangerAreBounded(t *testing.T) {
	long := strings.Repeat("max-foo: 10, ", 1000)
	s := HeaderSignals(field("X-Robots-Tag", "noindex, "+long+"nofollow"), "AcmeBot", testNow)
	if got, want := verdicts(s), "index=deny search=deny"; got != want {
		t.Errorf("a line of %d octets says %q, want what lies within 8 KiB, %q", len(long), got, want)
	}
	if got := len(s.Problems); got != keptProblems {
		t.Errorf("%d problems kept, want %d", got, keptProblems)
	}
	s = HeaderSignals(field("X-Robots-Tag", strings.Repeat("x", 9<<10)+", noindex"), "AcmeBot", testNow)
	if got := verdicts(s); got != "" || len(s.Problems) == 0 || len(s.Raw[0].Raw) > rawOctets {
		t.Errorf("a rule of 9 KiB: %q, %d problems, %d octets kept", got, len(s.Problems), len(s.Raw[0].Raw))
	}
	s = HeaderSignals(field("Content-Usage", "train-ai=n, "+strings.Repeat("a=b, ", 40<<10)+"x=y"), "AcmeBot", testNow)
	if got := verdicts(s); got != "" || len(s.Problems) != 1 {
		t.Errorf("OP-10 a Content-Usage of 200 KiB: %q, problems %q, want nothing said and one problem", got, problems(s))
	}
	var lines []string
	for i := range 10_000 {
		lines = append(lines, fmt.Sprintf("AcmeBot: noarchive, noindex%d", i))
	}
	s = HeaderSignals(field("X-Robots-Tag", append(lines, "nofollow")...), "AcmeBot", testNow)
	if got, want := verdicts(s), "archive=deny"; got != want {
		t.Errorf("10,000 lines say %q, want %q", got, want)
	}
	if len(s.Statements) > keptStatements || len(s.Raw) > keptRaw || len(s.Problems) > keptProblems {
		t.Errorf("10,000 lines leave %d statements, %d texts, %d problems", len(s.Statements), len(s.Raw), len(s.Problems))
	}
}

// A flood of what is said already keeps nothing out that is new.
func TestNoDenyIsLostToTheBounds(t *testing.T) {
	s := HeaderSignals(http.Header{"X-Robots-Tag": {strings.Repeat("noarchive,", 500) + "noai"}, "Content-Signal": {strings.Repeat("search=yes,", 500) + "search=no"}}, "AcmeBot", testNow)
	if got, want := verdicts(s), "archive=deny search=deny ai-input=deny ai-train=deny"; got != want {
		t.Errorf("verdicts = %q, want %q", got, want)
	}
	if v, _ := s.Images(AITrain); v != Deny {
		t.Errorf("Images(AITrain) = %v, want %v", v, Deny)
	}
	if most := keptStatements + 2*2*int(uses); len(s.Statements) > most {
		t.Errorf("%d statements, want at most %d", len(s.Statements), most)
	}
}

func FuzzXRobotsTag(f *testing.F) {
	for _, s := range []string{"noindex", "otherbot: noindex, AcmeBot: noai", "unavailable_after: Saturday, 25-Jun-11 15:00:00 GMT, nofollow", "max-foo: 10, noindex",
		"noindex; nofollow", ":,:,", "a: b: noindex"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		s := HeaderSignals(field("X-Robots-Tag", line), "AcmeBot", testNow)
		for _, st := range s.Statements {
			if st.Verdict != Deny {
				t.Errorf("%q says %v to %v: the field can only deny", line, st.Verdict, st.Use)
			}
			if !strings.EqualFold(st.Source.Agent, "acmebot") && st.Source.Agent != "*" && !strings.EqualFold(st.Source.Agent, "robots") {
				t.Errorf("%q: a rule for %q counts", line, st.Source.Agent)
			}
		}
		// What is said to everybody is said to each, and another line before it changes nothing.
		again := HeaderSignals(field("X-Robots-Tag", "otherbot: nofollow", line), "AcmeBot", testNow)
		if got, want := verdicts(again), verdicts(s); got != want {
			t.Errorf("%q says %q, and %q behind another line", line, want, got)
		}
	})
}
