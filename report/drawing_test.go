package report

import (
	"strings"
	"testing"
	"time"
)

// drawn draws marks that stand so many seconds apart.
func drawn(t *testing.T, holds []Hold, ratios ...float32) *drawing {
	t.Helper()
	tb := newTable(0)
	var marks []mark
	for i, r := range ratios {
		marks = append(marks, mark{at: tb.instant(tb.began.Add(time.Duration(i) * time.Second)), ratio: r})
	}
	for i := range holds {
		holds[i].From = tb.began.Add(time.Duration(holds[i].Status) * time.Second)
		holds[i].Until = holds[i].From.Add(2 * time.Second)
	}
	return draw(marks, len(marks), holds, tb, tb.began.Add(100*time.Second))
}

func TestABarReachesTheLineIfThePromiseWasKept(t *testing.T) {
	d := drawn(t, nil, -1, 1, 0.5, 9)
	for _, x := range []struct{ name, got, want string }{
		{"nothing promised", d.Free, "M1 46V40"},
		{"just kept, and far more than kept", d.Kept, "M200 46V24.0M599 46V2.0"},
		{"half of it, with a flag", d.Broken, "M399 46V35.0M399 0v6"},
	} {
		if x.got != x.want {
			t.Errorf("%s: path %q, want %q", x.name, x.got, x.want)
		}
	}
}

func TestWhereBarsFallTogetherTheWorstIsSeen(t *testing.T) {
	ratios := make([]float32, maxStrip)
	for i := range ratios {
		ratios[i] = 1.2
	}
	ratios[777] = 0.9
	d := drawn(t, nil, ratios...)
	if got := strings.Count(d.Broken, "M"); got != 2 {
		t.Errorf("broken path %q, want one bar and its flag", d.Broken)
	}
	if got, most := len(d.Kept), 20*drawWidth; got > most {
		t.Errorf("the path of %d requests has %d bytes, want at most %d", maxStrip, got, most)
	}
}

func TestHoldsAreShadedWhereTheyWere(t *testing.T) {
	d := drawn(t, []Hold{{Reason: RateLimited, Status: -5}, {Reason: RateLimited, Status: 2}, {Reason: Stopped, Status: 9}}, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	// The drawing goes on to the end of the stop, at 11 s; what was over before the first request is not in it.
	if len(d.Held) != 2 || d.Held[0] != (heldSpan{"block", "109.7", "108.7"}) || d.Held[1] != (heldSpan{"stop", "490.3", "108.7"}) {
		t.Errorf("Held = %v, want a block from 2 s to 4 s of 11 s, and a stop from 9 s to 11 s", d.Held)
	}
}

func TestALongHoldAtTheEndLeavesRoomForTheRequests(t *testing.T) {
	d := drawn(t, []Hold{{Reason: RateLimited, Status: 3}}, 1, 1, 1, 1)
	// The requests end at 3 s, so the drawing ends at 4 s, and the block at 5 s.
	if want := "M1 46V24.0M150 46V24.0M300 46V24.0M449 46V24.0"; d.Kept != want {
		t.Errorf("bars %q, want %q", d.Kept, want)
	}
	if len(d.Held) != 1 || d.Held[0] != (heldSpan{"block", "449.5", "149.5"}) {
		t.Errorf("Held = %v, want the last quarter", d.Held)
	}
}

func TestOneRequestAndNone(t *testing.T) {
	if d := drawn(t, nil, -1); d == nil || d.Free != "M1 46V40" || d.Of != "1 request" {
		t.Errorf("drawing of one request = %+v", d)
	}
	if d := drawn(t, nil); d != nil {
		t.Errorf("drawing of none = %+v, want nil", d)
	}
}
