package course

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestEachLessonPrintsWhatItsREADMEShows(t *testing.T) {
	bin := t.TempDir()
	args := []string{"build", "-ldflags=-s -w", "-o", bin + string(filepath.Separator)}
	for _, dir := range lessons(t) {
		args = append(args, "./"+dir)
	}
	if out, err := goTool(t, args...); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, dir := range lessons(t) {
		t.Run(dir, func(t *testing.T) {
			t.Parallel() // most of the time is spent waiting politely
			_, rest, _ := strings.Cut(read(t, filepath.Join(dir, "README.md")), "\n```text\n")
			want, _, ok := strings.Cut(rest, "```\n")
			if !ok {
				t.Fatalf("%s/README.md shows no output: there is no block of text", dir)
			}
			out, err := exec.CommandContext(t.Context(), filepath.Join(bin, dir)).CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", dir, err, out)
			}
			if err := prints(string(out), want); err != nil {
				t.Errorf("%v; all of it:\n%s", err, out)
			}
		})
	}
}

// seconds is a time as the lessons print it.
var seconds = regexp.MustCompile(`\d+(\.\d)? s\b`)

// prints says where got is not what a README shows. A time may be longer than there: the machine may be slow, a polite crawl is never faster.
func prints(got, want string) error {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) {
			return fmt.Errorf("%d lines, and the README shows %d", len(g), len(w))
		}
		if seconds.ReplaceAllString(g[i], "#") != seconds.ReplaceAllString(w[i], "#") {
			return fmt.Errorf("line %d is %q, and the README shows %q", i+1, g[i], w[i])
		}
		shown := seconds.FindAllString(w[i], -1)
		for j, s := range seconds.FindAllString(g[i], -1) {
			if count(s) < count(shown[j]) {
				return fmt.Errorf("line %d is %q, a shorter time than the %q of the README", i+1, g[i], w[i])
			}
		}
	}
	return nil
}

func count(s string) float64 {
	n, _ := strconv.ParseFloat(strings.TrimSuffix(s, " s"), 64)
	return n
}

func TestATimeMayBeLongerThanShownAndNothingElseDiffers(t *testing.T) {
	for _, tt := range []struct {
		got, want string
		ok        bool
	}{
		{"a 2 s b\n", "a 2 s b\n", true}, {"a 3 s", "a 2 s", true}, {"a 10 s", "a 9 s", true}, {"a 1.6 s", "a 1.5 s", true}, {"a 1.4 s", "a 1.5 s", false}, {"a 1 s", "a 2 s", false}, {"1 s, 1 s", "1 s, 2 s", false},
		{"a\nb", "a", false}, {"a", "a\nb", false}, {"a 2 s", "b 2 s", false}, {"3 pages", "2 pages", false},
	} {
		if err := prints(tt.got, tt.want); (err == nil) != tt.ok {
			t.Errorf("prints(%q, %q) = %v, want an error: %t", tt.got, tt.want, err, !tt.ok)
		}
	}
}
