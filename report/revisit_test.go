package report

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// written is a report file with the given text.
func written(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "skips.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// revisited is what Revisit yields: URLs, and errors as texts.
func revisited(path string, reasons ...Reason) (urls, errs []string) {
	for s, err := range Revisit(path, reasons...) {
		if err != nil {
			errs = append(errs, err.Error())
		} else {
			urls = append(urls, s.URL)
		}
	}
	return urls, errs
}

func TestRevisitYieldsWhatMayBeAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		past, future := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		for _, x := range []struct {
			name          string
			skip          Skip
			all, withName bool
		}{
			{"temporary, end not known", Skip{Reason: QueueFull}, true, true},
			{"temporary, over", Skip{Reason: RateLimited, RetryAt: past}, true, true},
			{"temporary, not over", Skip{Reason: RateLimited, RetryAt: future}, false, false},
			{"HEAD", Skip{Reason: Budget, Method: "HEAD"}, true, true},
			{"no method is GET", Skip{Reason: Budget, Method: "-"}, true, true},
			{"POST", Skip{Reason: Budget, Method: "POST"}, false, false},
			{"permanent", Skip{Reason: RobotsDisallowed}, false, true},
			{"permanent, with a time that has passed", Skip{Reason: OptOut, RetryAt: past}, false, true},
			{"permanent, with a time to come", Skip{Reason: Unwanted, RetryAt: future}, false, false},
			{"a stop without an end", Skip{Reason: Stopped}, false, true},
			{"a stop that is over", Skip{Reason: Stopped, RetryAt: past}, true, true},
			{"a stop that is not over", Skip{Reason: Stopped, RetryAt: future}, false, false},
			{"the site said no, for a day that is over", Skip{Reason: AccessDenied, RetryAt: past}, true, true},
			{"a reason that is not known", Skip{Reason: "moon"}, false, true},
		} {
			x.skip.URL = "http://shop.test/"
			if x.skip.Method == "" {
				x.skip.Method = "GET"
			}
			x.skip.Method = strings.Trim(x.skip.Method, "-")
			path := written(t, string(appendLine(nil, &x.skip))+"\n")
			urls, errs := revisited(path)
			if got := len(urls) == 1; got != x.all || len(errs) > 0 {
				t.Errorf("%s: Revisit(path) yields it: %v, %v; want %v", x.name, got, errs, x.all)
			}
			urls, _ = revisited(path, x.skip.Reason, Identity)
			if got := len(urls) == 1; got != x.withName {
				t.Errorf("%s: Revisit(path, %s) yields it: %v, want %v", x.name, x.skip.Reason, got, x.withName)
			}
			if urls, _ = revisited(path, Identity); len(urls) > 0 {
				t.Errorf("%s: Revisit(path, identity) yields it, want only what is named", x.name)
			}
		}
	})
}

func TestRevisitTakesTheLatestSkipOfEachURLAndMethodOldestFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "skips.jsonl")
	start := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	line := func(second int, method, page string, reason Reason) string {
		return string(appendLine(nil, &Skip{Time: start.Add(time.Duration(second) * time.Second), Method: method, URL: "http://shop.test/" + page, Reason: reason})) + "\n"
	}
	l := &logFile{path: path, max: 1, keep: 10} // a file for each line
	writeAll(t, l,
		line(1, "GET", "again", RateLimited),
		line(2, "GET", "first", RateLimited),
		line(3, "HEAD", "first", RateLimited),
		line(4, "GET", "later disallowed", RateLimited),
		line(5, "GET", "later disallowed", RobotsDisallowed),
		line(7, "GET", "written late", RobotsDisallowed), // two processes
		line(6, "GET", "written late", RateLimited),
		line(8, "GET", "again", RateLimited),
	)
	if err := os.Rename(path+".7", path+".12"); err != nil { // a crash amid renaming leaves a gap
		t.Fatal(err)
	}
	urls, errs := revisited(path)
	want := []string{"http://shop.test/first", "http://shop.test/first", "http://shop.test/again"}
	if diff := cmp.Diff(want, urls); diff != "" || len(errs) > 0 {
		t.Errorf("Revisit yields %v, %v (-want +got)\n%s", urls, errs, diff)
	}
}

func TestRevisitPassesOverWhatCannotBeRead(t *testing.T) {
	good := func(i int) string {
		return fmt.Sprintf(`{"url":"http://shop.test/%d","reason":"budget"}`, i) + "\n"
	}
	path := written(t, good(1)+"garbage\n"+`{"url":"http://shop.test/"}`+"\n\n"+strings.Repeat("x", 3*maxLine)+"\n"+good(2)+
		`{"url":"http://shop.test/?token=xxxxx","reason":"budget","redacted":true}`+"\n"+
		`{"url":"http://shop.test/x","reason":"budget","cut":true}`+"\n"+
		`{"url":"/x","reason":"budget"}`+"\n"+
		strings.TrimSuffix(good(3), "\n")) // torn, though it may look whole
	urls, errs := revisited(path)
	if diff := cmp.Diff([]string{"http://shop.test/1", "http://shop.test/2"}, urls); diff != "" {
		t.Errorf("URLs (-want +got)\n%s", diff)
	}
	want := []string{
		"report: 4 lines of skips.jsonl cannot be read, the first is line 2: ",
		"report: http://shop.test/?token=xxxxx cannot be asked again: its URL was kept without its secrets",
		"report: http://shop.test/x cannot be asked again: its URL was too long to be kept",
		`report: /x cannot be asked again: "/x" is no whole URL`,
	}
	if len(errs) != len(want) {
		t.Fatalf("errors %q, want %q", errs, want)
	}
	for i := range want {
		if !strings.HasPrefix(errs[i], want[i]) {
			t.Errorf("error %q, want %q", errs[i], want[i])
		}
	}
}

func TestRevisitCanBeStoppedAndRepeatedAndAskedWhileTheFileGrows(t *testing.T) {
	r, path := newFile(t, Options{})
	for i := range 10 {
		r.Record(Skip{Reason: Budget, URL: fmt.Sprintf("http://shop.test/%d", i)})
	}
	r.journal.relieve()
	again := Revisit(path)
	n := 0
	for range 2 { // what is refused anew goes to the end
		for s, err := range again {
			if want := fmt.Sprintf("http://shop.test/%d", n); err != nil || s.URL != want {
				t.Fatalf("skip %d = %+v, %v, want %s", n, s, err, want)
			}
			r.Record(s)
			r.journal.relieve()
			if n++; n%5 == 0 {
				break
			}
		}
	}
	if n != 10 {
		t.Errorf("%d skips, want 10", n)
	}
}

func TestRevisitOfNothing(t *testing.T) {
	for s, err := range Revisit(filepath.Join(t.TempDir(), "none")) {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Revisit of a file that is not there yields %+v, %v, want fs.ErrNotExist", s, err)
		}
	}
	if urls, errs := revisited(written(t, "")); len(urls)+len(errs) > 0 {
		t.Errorf("Revisit of an empty file yields %v, %v, want nothing", urls, errs)
	}
}

func FuzzRevisit(f *testing.F) {
	f.Add([]byte(`{"url":"http://shop.test/","reason":"budget"}` + "\n"))
	f.Add([]byte("\n\x00{\n" + `{"url":"http://shop.test/","reason":"budget","method":"POST"}`))
	f.Add(append(appendLine(nil, &aSkip), '\n'))
	f.Fuzz(func(t *testing.T, text []byte) {
		v := revisit{latest: make(map[request]place)}
		_ = v.read(0, "skips.jsonl", bytes.NewReader(text))
		seen := make(map[string]bool)
		for _, p := range v.places() {
			s, err := p.load(bytes.NewReader(text))
			if err != nil {
				continue
			}
			key := s.Method + " " + s.URL
			if s.Reason == "" || s.Method != "" && s.Method != "GET" && s.Method != "HEAD" || time.Now().Before(s.RetryAt) || seen[key] {
				t.Errorf("yields %+v, seen before: %v", s, seen[key])
			}
			seen[key] = true
		}
		if len(seen) > bytes.Count(text, []byte{'\n'}) {
			t.Errorf("%d skips of %q, want at most one for each line", len(seen), text)
		}
	})
}
