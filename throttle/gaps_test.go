package throttle

import (
	"testing"
	"time"
)

func TestGapsAreMeasuredBetweenPages(t *testing.T) {
	var g gaps
	at := int64(1)
	send := func(after time.Duration, robots bool) bool {
		at += int64(after)
		return g.sent(at, robots, promise{interval: time.Second})
	}
	for _, x := range []struct {
		after  time.Duration
		robots bool
		short  bool
	}{
		{0, true, false},
		{0, false, false}, // the page behind robots.txt
		{time.Second, false, false},
		{3 * time.Second, false, false},
		{500 * time.Millisecond, true, false},
		{500 * time.Millisecond, false, false},
		{999 * time.Millisecond, false, true},
	} {
		if got := send(x.after, x.robots); got != x.short {
			t.Errorf("a request (robots.txt: %v) %v after the one before: short %v, want %v", x.robots, x.after, got, x.short)
		}
	}
	if g.smallest != 999*time.Millisecond || g.median() != time.Second || g.short != 1 {
		t.Errorf("smallest %v, median %v, %d short, want 999 ms, 1 s, 1", g.smallest, g.median(), g.short)
	}
}

func TestUnderACrawlDelayTheGapAfterRobotsTxtCounts(t *testing.T) {
	var g gaps
	g.sent(1, true, promise{interval: time.Second})
	if !g.sent(1+int64(time.Second), false, promise{interval: 10 * time.Second, crawlDelay: 10 * time.Second}) {
		t.Error("a page 1 s after robots.txt under a crawl delay of 10 s is not told as short")
	}
}

func TestTheMedianIsOfTheLatestGaps(t *testing.T) {
	var g gaps
	at := int64(1)
	for i := range 100 {
		g.sent(at, false, promise{})
		at += int64(time.Millisecond) * int64(i+1)
	}
	if got, want := g.median(), 83500*time.Microsecond; got != want {
		t.Errorf("median %v, want %v: of the gaps of 68 ms to 99 ms", got, want)
	}
}

func TestAGapIsCountedFromTheLatestInstantOfSending(t *testing.T) {
	var g gaps
	g.sent(1, false, promise{})
	g.moved(1, 1+int64(time.Second)) // it was held up
	if !g.sent(1+int64(1500*time.Millisecond), false, promise{interval: time.Second}) || g.smallest != 500*time.Millisecond {
		t.Errorf("smallest %v, %d short, want 500 ms, told as short", g.smallest, g.short)
	}
	g.moved(1, int64(time.Hour)) // not the latest
	if got, want := g.sentAt, 1+int64(1500*time.Millisecond); got != want {
		t.Errorf("the latest was sent at %d, want %d", got, want)
	}
}
