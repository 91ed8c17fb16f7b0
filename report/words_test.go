package report

import (
	"testing"
	"time"
)

func TestASpanHasTwoUnitsAndIsRoundedDown(t *testing.T) {
	for _, x := range []struct {
		d    time.Duration
		want string
	}{
		{-1, "0s"}, {0, "0s"}, {999, "0s"}, {1500, "1µs"}, {999_999_999, "999ms"}, {time.Second, "1s"}, {1_999_999_999, "1.99s"},
		{59_999_999_999, "59.9s"}, {time.Minute, "1m"}, {90 * time.Second, "1m30s"}, {time.Hour, "1h"}, {time.Hour + 59*time.Second, "1h"},
		{25 * time.Hour, "1d1h"}, {48 * time.Hour, "2d"},
	} {
		if got := span(x.d); got != x.want {
			t.Errorf("span(%d) = %q, want %q", x.d, got, x.want)
		}
	}
}

func TestNumbersForPeople(t *testing.T) {
	for _, x := range []struct{ got, want string }{
		{number(0), "0"}, {number(999), "999"}, {number(1000), "1,000"}, {number(1234567), "1,234,567"},
		{several(1, "host"), "1 host"}, {several(2000, "host"), "2,000 hosts"},
		{byteSize(999), "999 B"}, {byteSize(1500), "1.5 kB"}, {byteSize(123_456_789), "123 MB"}, {byteSize(1 << 62), "4612 PB"},
		{shorten("abcdefghij", 10), "abcdefghij"}, {shorten("abcdefghijk", 10), "abcdef…ijk"},
		{clean("a\x1b[31mb\n\u202ec\u009b"), "a\ufffd[31mb\ufffd\ufffdc\ufffd"},
	} {
		if x.got != x.want {
			t.Errorf("got %q, want %q", x.got, x.want)
		}
	}
}
