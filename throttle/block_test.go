package throttle

import (
	"testing"
	"time"
)

const sec = int64(time.Second)

// struck is a block after n incidents without Retry-After, each for a request that started when the block before it had ended.
func struck(n int) (b block, now int64) {
	now = 1
	for range n {
		b.incident(now+sec, now, 0, time.Second, 0)
		now = b.until + 1
	}
	return b, now
}

func TestABlockWithoutRetryAfterStartsAtThirtySecondsAndDoublesToAnHour(t *testing.T) {
	for n, want := range []time.Duration{0, 30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute,
		32 * time.Minute, time.Hour, time.Hour} {
		if b, _ := struck(n); time.Duration(b.length) != want {
			t.Errorf("block %d lasts %v, want %v", n, time.Duration(b.length), want)
		}
	}
	for _, x := range []struct{ interval, want time.Duration }{{10 * time.Second, 100 * time.Second}, {time.Hour, time.Hour}, {0, 30 * time.Second}} {
		if got := backOff(0, x.interval); got != x.want {
			t.Errorf("backOff(0, %v) = %v, want %v: ten intervals, at most an hour", x.interval, got, x.want)
		}
	}
}

func TestAnswersToRequestsFromBeforeTheBlockAreOneIncident(t *testing.T) {
	var b block
	b.incident(10*sec, 5*sec, 0, time.Second, 0)
	end := b.until
	for i := range 19 {
		if b.incident(11*sec, 5*sec+int64(i), 0, time.Second, 0) {
			t.Errorf("answer %d of the same window extended the block", i)
		}
	}
	if b.level != 1 || b.until != end {
		t.Errorf("level %d, until %d, want 1 and %d", b.level, b.until, end)
	}
	if !b.incident(12*sec, 5*sec, 10*time.Minute, time.Second, 0) || b.until != 12*sec+600*sec || b.level != 1 {
		t.Errorf("a Retry-After of the same window: level %d, until %d s, want 1 and 612", b.level, b.until/sec)
	}
}

func TestABlockIsOnlyEverExtended(t *testing.T) {
	var b block
	b.incident(10*sec, 5*sec, time.Hour, time.Second, 0)
	end := b.until
	if b.incident(20*sec, 11*sec, time.Second, time.Second, 0) || b.until != end {
		t.Errorf("a shorter Retry-After moved the end from %d to %d", end, b.until)
	}
}

func TestJitterOnBlocksOnlyAdds(t *testing.T) {
	var b block
	b.incident(0, 0, 100*time.Second, time.Second, 0.5)
	if got, want := time.Duration(b.length), 105*time.Second; got != want {
		t.Errorf("length %v, want %v", got, want)
	}
}

func TestForgivingBeginsWhenTheBlockEnds(t *testing.T) {
	var b block
	b.incident(10*sec, 5*sec, 2*time.Hour, time.Second, 0)
	if b.forgive(b.until + int64(2*time.Hour) - 1); b.level != 1 {
		t.Error("forgiven before the length of the block had passed after its end")
	}
	if b.forgive(b.until + int64(2*time.Hour)); b.level != 0 {
		t.Error("not forgiven the length of the block after its end")
	}
	b = block{}
	b.incident(10*sec, 5*sec, time.Second, time.Second, 0)
	if b.forgive(b.until + int64(30*time.Minute) - 1); b.level != 1 {
		t.Error("forgiven before 30 minutes had passed after the block's end")
	}
}

func TestTenCleanAnswersTakeBackOneLevel(t *testing.T) {
	b, now := struck(3)
	for i := range 9 {
		b.answered(now+int64(i), now)
	}
	if b.level != 3 {
		t.Errorf("level %d after 9 clean answers, want 3", b.level)
	}
	b.answered(now+9, now)
	if b.level != 2 {
		t.Errorf("level %d after 10 clean answers, want 2", b.level)
	}
}

func TestAnAnswerFromBeforeTheBlockIsNoSignOfHealth(t *testing.T) {
	var b block
	b.incident(10*sec, 5*sec, 0, time.Second, 0)
	b.answered(11*sec, 6*sec)
	if !b.alone(b.until + 1) {
		t.Error("the first request after the block is no probe any more")
	}
	b.answered(b.until+2, b.until+1)
	if b.alone(b.until + 3) {
		t.Error("still alone after the probe was answered well")
	}
}

func TestAHostStallsAfterFiveIncidentsInFifteenMinutesWithoutACleanAnswer(t *testing.T) {
	b, now := struck(5) // 30 s to 8 min: 15.5 min in all
	if !b.stalled(now) {
		t.Errorf("not stalled %v after the first of %d incidents", time.Duration(now-b.since), b.incidents)
	}
	if b.stalled(b.since + int64(15*time.Minute) - 1) {
		t.Error("stalled before 15 minutes")
	}
	b.answered(now+1, now)
	if b.stalled(now + int64(time.Hour)) {
		t.Error("stalled after a clean answer")
	}
}
