package progress

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// aFrame has a row of every kind.
func aFrame() Frame {
	return Frame{
		Now: noon, UnderWay: 2, Waiting: 1214, Sent: 10320, Skipped: 17, Done: noon.Add(20 * time.Minute), Hosts: 41,
		Rows: []Row{
			{Host: "busy.test", Waiting: 1200, Next: noon.Add(92 * time.Second), Why: "blocked by 429 or 503", Done: noon.Add(20 * time.Minute)},
			{Host: "shop.test", UnderWay: 1, Waiting: 14, Next: noon.Add(800 * time.Millisecond), Why: "crawl delay 5s", Done: noon.Add(time.Minute)},
			{Host: "away.test", Waiting: 3, Held: true, Why: "parked: access denied"},
			{Host: "wiki.test", UnderWay: 1, Next: noon, Why: "1 under way"},
		},
	}
}

func TestAFrameIsATableOfHosts(t *testing.T) {
	f := aFrame()
	want := []string{
		"etiquette: 2 under way, 1,214 wait, 10,320 sent, 17 skipped, done about 12:20:00",
		"  HOST         WAIT  NEXT       DONE        WHY",
		"  busy.test   1,200  in 1m32s   12:20:00    blocked by 429 or 503",
		"  shop.test      14  in 0.8s    12:01:00    crawl delay 5s",
		"  away.test       3  held                   parked: access denied",
		"  wiki.test       0                         1 under way",
		"  and 37 more hosts",
	}
	if d := cmp.Diff(want, f.Lines(120, 24)); d != "" {
		t.Errorf("lines (-want +got):\n%s", d)
	}
}

func TestALineSaysTheHostThatTakesLongest(t *testing.T) {
	f := aFrame()
	want := "etiquette: 2 under way, 1,214 wait, 10,320 sent, 17 skipped, done about 12:20:00; " +
		"busy.test: 1,200 wait, next in 1m32s, blocked by 429 or 503; and 40 more hosts"
	if got := f.Line(); got != want {
		t.Errorf("Line = %q, want %q", got, want)
	}
	f.Broken = 2
	if got := f.Line(); !strings.Contains(got, "2 PROMISES BROKEN") {
		t.Errorf("Line = %q, want the broken promises in it", got)
	}
	idle := Frame{Now: noon, Sent: 5}
	if got, want := idle.Line(), "etiquette: 0 under way, 0 wait, 5 sent, 0 skipped"; got != want {
		t.Errorf("Line of an idle crawl = %q, want %q", got, want)
	}
}

func TestLinesFitIntoEveryTerminal(t *testing.T) {
	f := aFrame()
	f.Rows[1].Host, f.Rows[2].Why = strings.Repeat("a-long-name.", 20)+"test", "parked: "+strings.Repeat("漢字", 30)
	for width := 1; width <= 200; width++ {
		for _, height := range []int{0, 1, 2, 3, 4, 5, 24} {
			lines := f.Lines(width, height)
			if len(lines) > max(height, 1) {
				t.Errorf("Lines(%d, %d) = %d lines, want %d at most", width, height, len(lines), max(height, 1))
			}
			for _, line := range lines {
				if got := columnsOf(line); got > max(width-1, 0) {
					t.Errorf("Lines(%d, %d) has %q of %d columns", width, height, line, got)
				}
			}
			shown := 0
			for _, line := range lines {
				if strings.Contains(line, ".test") {
					shown++
				}
			}
			if height == 5 && width > 60 && (shown != 2 || !strings.Contains(lines[4], "and 39 more hosts")) {
				t.Errorf("Lines(%d, 5) = %q, want two hosts and 39 more", width, lines)
			}
		}
	}
}

func TestWhatStrangersWroteCannotMoveTheCursor(t *testing.T) {
	f := aFrame()
	f.Rows[0].Host = "evil\x1b[2J\r\n\u202e.test"
	f.Rows[0].Why = "stopped: \x1b]0;title\x07\u009b31m\u2028line"
	for _, line := range append(f.Lines(200, 24), f.Line()) {
		for _, c := range line {
			if unicode.IsControl(c) || !unicode.IsPrint(c) {
				t.Errorf("the line %q holds %U", line, c)
			}
		}
	}
	if line := f.Lines(200, 24)[2]; !strings.Contains(line, "evil\ufffd[2J") {
		t.Errorf("the line %q, want it to show that something was there", line)
	}
}

func TestUntilIsNeverTooShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1: "0.1s", 100 * time.Millisecond: "0.1s", 801 * time.Millisecond: "0.9s", 9900 * time.Millisecond: "9.9s", 9901 * time.Millisecond: "10s",
		59 * time.Second: "59s", 59*time.Second + 1: "1m00s", 92 * time.Second: "1m32s", time.Hour - time.Second: "59m59s", time.Hour - 1: "1h00m",
		25 * time.Hour: "1d01h", 24*time.Hour - 1: "1d00h", 5000 * 24 * time.Hour: "years",
	} {
		if got := until(d); got != want {
			t.Errorf("until(%s) = %q, want %q", d, got, want)
		}
	}
	if got, want := clock(noon.Add(24*time.Hour), noon), "2026-12-02"; got != want {
		t.Errorf("clock of tomorrow = %q, want %q", got, want)
	}
}

func TestNumbersHaveCommas(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := number(n); got != want {
			t.Errorf("number(%d) = %q, want %q", n, got, want)
		}
	}
}

func ExampleFrame() {
	f := aFrame()
	for _, line := range f.Lines(60, 6) {
		fmt.Println(line)
	}
	// Output:
	// etiquette: 2 under way, 1,214 wait, 10,320 sent, 17 skipp…
	//   HOST         WAIT  NEXT       DONE        WHY
	//   busy.test   1,200  in 1m32s   12:20:00    blocked by 42…
	//   shop.test      14  in 0.8s    12:01:00    crawl delay 5s
	//   away.test       3  held                   parked: acces…
	//   and 38 more hosts
}
