package report

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func TestTheTextIsATableThatLinesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		if err := aCrawl().WriteText(&b); err != nil {
			t.Fatal(err)
		}
		_, table, _ := strings.Cut(b.String(), "Hosts, the worst first\n\n")
		var got []string
		for line := range strings.Lines(table) {
			if !strings.HasPrefix(line, " ") {
				got = append(got, strings.TrimSpace(line))
			}
		}
		want := []string{
			"HOST                REQUESTS  PROMISED         SMALLEST  MEDIAN  SKIPPED  ROBOTS.TXT",
			"broken.example            63  1s rule             350ms   1.17s        0  rules, 1m55s old",
			"complained.example        20  1s default             1s   1.16s        3  rules, 28.3s old",
			"private.example            4  1s default          1.05s   1.07s        0  rules, 32.6s old",
			"busy.example              80  2s rule                2s   2.33s        0  rules, 5m29s old",
			"bare.example               5  1s default          1.05s    1.1s        0  unavailable, 5.5s old",
			"docs.example             600  1s default             1s   1.17s        0  rules, 22m42s old",
			"slow.example              30  10s crawl delay       10s   11.5s        0  rules, 11m12s old",
			"shop.example              12  1s default             1s   1.15s      291  rules, 46.2s old",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("hosts (-want +got)\n%s", diff)
		}
	})
}

func TestTheSummaryComesFirstAndSaysWhatIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := New(Options{MaxHosts: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, host := range []string{"a.test", "b.test"} {
			r.Sent(Request{Host: host, Interval: 1})
			r.Sent(Request{Host: host})
		}
		var b bytes.Buffer
		if err := r.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(b.String(), "Hosts, the worst first")
		for _, want := range []string{
			"  Promises       No promise to keep yet\n",
			"  Requests       4 requests to 2 hosts, 0 of them for robots.txt, 0 B\n",
			"  Skipped        none\n",
			"  Left out       1 host only in the sums, for want of room; 0 gaps not measured\n",
		} {
			if !strings.Contains(head, want) {
				t.Errorf("summary has no %q:\n%s", want, head)
			}
		}
	})
}
