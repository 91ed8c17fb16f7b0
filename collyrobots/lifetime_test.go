package collyrobots

import (
	"net/http"
	"testing"
	"time"
)

var noon = time.Date(2030, 5, 1, 12, 0, 0, 0, time.UTC)

// header makes a header of "Name: value" pairs, in turn.
func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

func TestLifeIsADayOrWhatTheSiteSays(t *testing.T) {
	at := func(d time.Duration) string { return noon.Add(d).Format(http.TimeFormat) }
	for _, test := range []struct {
		rule string
		h    http.Header
		want time.Duration
	}{
		{"nothing said", header(), 24 * time.Hour},
		{"max-age shortens", header("Cache-Control", "max-age=7200"), 2 * time.Hour},
		{"max-age never lengthens (2.4)", header("Cache-Control", "max-age=604800"), 24 * time.Hour},
		{"not sooner than an hour", header("Cache-Control", "max-age=60"), time.Hour},
		{"names without regard to case", header("Cache-Control", "Public, MAX-AGE=7200"), 2 * time.Hour},
		{"quoted value", header("Cache-Control", `max-age="7200"`), 2 * time.Hour},
		{"blanks", header("Cache-Control", " public ,  max-age = 7200 "), 2 * time.Hour},
		{"a comma in quotes ends nothing", header("Cache-Control", `private="a, max-age=3600", max-age=7200`), 2 * time.Hour},
		{"an escaped quote ends nothing", header("Cache-Control", `x="\", max-age=3600", max-age=7200`), 2 * time.Hour},
		{"two lines", header("Cache-Control", "public", "Cache-Control", "max-age=7200"), 2 * time.Hour},
		{"of two the shorter", header("Cache-Control", "max-age=10800, max-age=7200"), 2 * time.Hour},
		{"s-maxage speaks to shared caches", header("Cache-Control", "s-maxage=7200"), 24 * time.Hour},
		{"max-age=0 counts as absent", header("Cache-Control", "max-age=0"), 24 * time.Hour},
		{"no-cache counts as absent", header("Cache-Control", "no-cache"), 24 * time.Hour},
		{"no-store counts as absent", header("Cache-Control", "no-store, must-revalidate"), 24 * time.Hour},
		{"no-cache beside max-age", header("Cache-Control", "no-cache, max-age=7200"), 2 * time.Hour},
		{"the whole set that servers add", header("Cache-Control", "no-store, no-cache, max-age=0", "Expires", "0", "Pragma", "no-cache"), 24 * time.Hour},
		{"negative is unreadable", header("Cache-Control", "max-age=-5"), 24 * time.Hour},
		{"a fraction is unreadable", header("Cache-Control", "max-age=7200.5"), 24 * time.Hour},
		{"overflow is long", header("Cache-Control", "max-age=99999999999999999999999"), 24 * time.Hour},
		{"Age counts", header("Cache-Control", "max-age=10800", "Age", "3600"), 2 * time.Hour},
		{"Age beyond max-age", header("Cache-Control", "max-age=7200", "Age", "86400"), time.Hour},
		{"Age alone says nothing", header("Age", "86400"), 24 * time.Hour},
		{"Expires", header("Expires", at(3*time.Hour)), 3 * time.Hour},
		{"Expires by the server's clock", header("Date", at(-time.Hour), "Expires", at(time.Hour)), 2 * time.Hour},
		{"Expires in the past counts as absent", header("Expires", at(-time.Hour)), 24 * time.Hour},
		{"Expires unreadable counts as absent", header("Expires", "-1"), 24 * time.Hour},
		{"Expires very soon", header("Expires", at(time.Second)), time.Hour},
		{"max-age before Expires (RFC 9111, 5.3)", header("Cache-Control", "max-age=7200", "Expires", at(5*time.Hour)), 2 * time.Hour},
	} {
		if got := lifeOf(test.h, noon, longestLife); got != test.want {
			t.Errorf("%s: lifeOf(%v) = %v, want %v", test.rule, test.h, got, test.want)
		}
	}
}

func TestLifeKeepsToAShorterMaxAge(t *testing.T) {
	h := header("Cache-Control", "max-age=7200")
	if got := lifeOf(h, noon, 10*time.Minute); got != 10*time.Minute {
		t.Errorf("lifeOf with a MaxAge of 10m = %v, want 10m", got)
	}
}

func TestRetryAfterIsKeptBetweenAMinuteAndADay(t *testing.T) {
	at := func(d time.Duration) string { return noon.Add(d).Format(http.TimeFormat) }
	for _, test := range []struct {
		h    http.Header
		want time.Duration // 0: absent
	}{
		{header(), 0},
		{header("Retry-After", "120"), 2 * time.Minute},
		{header("Retry-After", " 120 "), 2 * time.Minute},
		{header("Retry-After", "1"), time.Minute},
		{header("Retry-After", "999999999999"), 24 * time.Hour},
		{header("Retry-After", "0"), 0},
		{header("Retry-After", "-5"), 0},
		{header("Retry-After", "soon"), 0},
		{header("Retry-After", "1.5"), 0},
		{header("Retry-After", at(10*time.Minute)), 10 * time.Minute},
		{header("Retry-After", at(10*time.Minute), "Date", at(5*time.Minute)), 5 * time.Minute},
		{header("Retry-After", at(-time.Minute)), 0},
		{header("Retry-After", at(48*time.Hour)), 24 * time.Hour},
	} {
		got, ok := retryAfter(test.h, noon)
		if got != test.want || ok != (test.want > 0) {
			t.Errorf("retryAfter(%v) = %v, %v, want %v", test.h, got, ok, test.want)
		}
	}
}

func TestWaitsDoubleUpToTheirEnd(t *testing.T) {
	for _, test := range []struct {
		first, last time.Duration
		want        []time.Duration
	}{
		{firstUnreachable, lastUnreachable, []time.Duration{1, 2, 4, 8, 16, 32, 60, 60}},
		{firstUnavailable, lastUnavailable, []time.Duration{60, 120, 240, 480, 960, 1440, 1440}},
	} {
		for i, want := range test.want {
			if got := doubling(test.first, test.last, i+1); got != want*time.Minute {
				t.Errorf("doubling(%v, %v, %d) = %v, want %v", test.first, test.last, i+1, got, want*time.Minute)
			}
		}
		if got := doubling(test.first, test.last, 1<<40); got != test.last {
			t.Errorf("doubling(…, 1<<40) = %v, want %v", got, test.last)
		}
	}
}

func FuzzCacheControl(f *testing.F) {
	f.Add("max-age=7200", "Wed, 01 May 2030 15:00:00 GMT", "10", "120")
	f.Add(`private="a, max-age=1", max-age="9"`, "0", "-1", "Wed, 01 May 2030 15:00:00 GMT")
	f.Add(`"\`, "", "99999999999999999999", "1e9")
	f.Add("no-store, no-cache=\"x\\\"y\", max-age=0", "", "", "")
	f.Fuzz(func(t *testing.T, cacheControl, expires, age, retry string) {
		h := header("Cache-Control", cacheControl, "Expires", expires, "Age", age, "Retry-After", retry)
		for _, longest := range []time.Duration{time.Minute, time.Hour, longestLife} {
			if life := lifeOf(h, noon, longest); life < min(shortestLife, longest) || life > longest {
				t.Errorf("lifeOf(%v, %v) = %v", h, longest, life)
			}
		}
		if life, older := lifeOf(h, noon, longestLife), lifeOf(header("Cache-Control", cacheControl, "Expires", expires, "Age", age+"0"), noon, longestLife); older > life && age != "" {
			if _, ok := deltaSeconds(age); ok {
				t.Errorf("an older answer lives longer: Age %q %v, Age %q %v", age, life, age+"0", older)
			}
		}
		if wait, ok := retryAfter(h, noon); ok && (wait < shortestRetry || wait > longestRetry) || !ok && wait != 0 {
			t.Errorf("retryAfter(%q) = %v, %v", retry, wait, ok)
		}
		d, rest := cutDirective(cacheControl)
		if len(d)+len(rest) > len(cacheControl) || cacheControl != "" && len(rest) >= len(cacheControl) {
			t.Errorf("cutDirective(%q) = %q, %q", cacheControl, d, rest)
		}
	})
}
