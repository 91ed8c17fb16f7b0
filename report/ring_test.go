package report

import (
	"strings"
	"testing"
)

func TestSkipsWithLongTextsDoNotFillTheMemory(t *testing.T) {
	var r Report
	long := strings.Repeat("x", maxKeptBytes/4)
	for i := range 10 {
		r.Record(Skip{Reason: Stopped, URL: long, Line: i})
	}
	skips := r.Skips()
	if len(skips) != 4 || skips[0].Line != 6 || skips[3].Line != 9 {
		t.Errorf("%d skips are kept, from %d on, want the last 4 of 10", len(skips), skips[0].Line)
	}
	r.Record(Skip{Reason: Stopped, URL: strings.Repeat("x", maxKeptBytes+1)})
	if got := len(r.Skips()); got != 1 {
		t.Errorf("%d skips are kept after one longer than all may be, want it alone", got)
	}
	r.Record(aSkip)
	if got := r.Skips(); len(got) != 1 || got[0] != aSkip {
		t.Errorf("%d skips are kept after that, want the last", len(got))
	}
}

func TestKeepNone(t *testing.T) {
	r := Report{Keep: -1}
	r.Record(aSkip)
	if len(r.Skips()) != 0 || r.Total() != 1 || r.Counts()[Count{aSkip.Reason, aSkip.Rule}] != 1 {
		t.Errorf("Keep -1: %d kept, %d in all, counts %v; want 0, 1 and one", len(r.Skips()), r.Total(), r.Counts())
	}
}

func TestTheRingKeepsItsOrderWhileItGrows(t *testing.T) {
	for _, most := range []int{1, 15, 16, 17, 40} {
		var g ring
		for i := range 3 * most {
			g.add(Skip{Line: i}, most)
			out := make([]Skip, g.n)
			g.copyTo(out)
			for k, s := range out {
				if want := i - len(out) + 1 + k; s.Line != want {
					t.Fatalf("most %d, after %d: place %d holds %d, want %d", most, i, k, s.Line, want)
				}
			}
			if len(out) != min(i+1, most) {
				t.Fatalf("most %d, after %d: %d kept", most, i, len(out))
			}
		}
	}
}
