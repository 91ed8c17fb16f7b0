package page

import (
	"strings"
	"testing"
	"time"
)

func TestTimesAreTold(t *testing.T) {
	for _, tt := range []struct {
		d          time.Duration
		span, left string
	}{
		{-time.Second, "0s", "0s"},
		{0, "0s", "0s"},
		{1500 * time.Nanosecond, "1µs", "1s"},
		{300 * time.Millisecond, "300ms", "1s"},
		{1999*time.Millisecond + 999, "1.999s", "2s"},
		{59 * time.Second, "59s", "59s"},
		{59*time.Second + time.Millisecond, "59.001s", "1m 0s"},
		{119*time.Second + time.Millisecond, "1m 59s", "2m 0s"},
		{time.Hour, "1h 0m", "1h 0m"},
		{25*time.Hour + 59*time.Minute, "1d 1h", "1d 1h"},
	} {
		if got := span(tt.d); got != tt.span {
			t.Errorf("span(%d) = %q, want %q", tt.d, got, tt.span)
		}
		if got := left(tt.d); got != tt.left {
			t.Errorf("left(%d) = %q, want %q", tt.d, got, tt.left)
		}
	}
}

func TestStrangersTextIsShortAndVisible(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int
		want string
	}{
		{"plain", 5, "plain"},
		{"plainer", 5, "plain…"},
		{"a\tb\r\nc\u202e\x00", 20, "a b\uFFFD\uFFFDc\uFFFD\uFFFD"},
		{"\xff\xfe", 20, "\uFFFD\uFFFD"},
		{"äöü", 2, "äö…"},
		{strings.Repeat("ä", 1000), 3, "äää…"},
		{"", 3, ""},
	} {
		if got := short(tt.text, tt.most); got != tt.want {
			t.Errorf("short(%q, %d) = %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
}

func TestNumbersAreTold(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -999: "-999", -1000: "-1,000"} {
		if got := number(n); got != want {
			t.Errorf("number(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int]string{0: "0 hosts", 1: "1 host", 2000: "2,000 hosts"} {
		if got := several(n, "host"); got != want {
			t.Errorf("several(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1500: "1.5 kB", 250_000: "250 kB", 3_000_000: "3.0 MB"} {
		if got := byteSize(n); got != want {
			t.Errorf("byteSize(%d) = %q, want %q", n, got, want)
		}
	}
}
