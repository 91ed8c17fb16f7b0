package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var aSkip = Skip{
	Time: time.Date(2030, 1, 2, 3, 4, 5, 6_000_000, time.UTC), URL: "http://shop.test/private/a?q=1", Method: "GET", Host: "shop.test",
	Reason: RobotsDisallowed, Detail: `line 3 of http://shop.test/robots.txt: "disallow: /private/"`, Line: 3, Rule: "disallow: /private/",
	RetryAt: time.Date(2030, 1, 3, 0, 0, 0, 0, time.UTC), Waited: 1500 * time.Millisecond, Referrer: "http://shop.test/",
}

func TestALineHasTheNamesThatTheManualGives(t *testing.T) {
	want := `{"time":"2030-01-02T03:04:05.006Z","host":"shop.test","method":"GET","url":"http://shop.test/private/a?q=1","reason":"robots_disallowed",` +
		`"rule":"disallow: /private/","line":3,"waited":1.5,"retry_at":"2030-01-03T00:00:00Z","referrer":"http://shop.test/",` +
		`"detail":"line 3 of http://shop.test/robots.txt: \"disallow: /private/\""}`
	got, err := json.Marshal(aSkip)
	if err != nil || string(got) != want {
		t.Errorf("Marshal = %s, %v\nwant %s", got, err, want)
	}
	got, err = json.Marshal(Skip{Reason: Stopped})
	if want := `{"reason":"stopped"}`; err != nil || string(got) != want {
		t.Errorf("Marshal of a skip with a reason only = %s, %v, want %s", got, err, want)
	}
}

func TestASkipSurvivesBeingWrittenAndRead(t *testing.T) {
	for _, s := range []Skip{aSkip, {Reason: Stopped, URL: "http://ü.test/\u202e\x1b[31m?\"\\\U000e0001", Waited: 1, Detail: "a\nb"}} {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var got Skip
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("Unmarshal(%s) = %v", b, err)
		}
		if diff := cmp.Diff(s, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", b, diff)
		}
	}
}

func TestALineHoldsNoSecretAndSteersNoTerminal(t *testing.T) {
	s := Skip{Reason: Stopped, URL: "http://ann:hunter2@shop.test/?token=hunter2", Referrer: "http://shop.test/?sid=hunter2", Host: "a\x1b]0;x\x07\u009b\u202e\n"}
	b, err := json.Marshal(s)
	if err != nil || strings.Contains(string(b), "hunter2") {
		t.Errorf("Marshal = %s, %v, want it without hunter2", b, err)
	}
	if bytes.ContainsFunc(b, func(c rune) bool { return c < ' ' || c == 0x9b || c == 0x202e }) {
		t.Errorf("Marshal = %q, want no control characters", b)
	}
	if l, err := parseLine(b); err != nil || !l.Redacted || l.askable() == nil {
		t.Errorf("parseLine(%s) = %+v, %v, want it marked as redacted", b, l, err)
	}
}

func TestAByteThatIsNoUTF8StaysTheSameToTheServer(t *testing.T) {
	l, err := parseLine(appendLine(nil, &Skip{Reason: Stopped, URL: "http://shop.test/?q=caf\xe9", Detail: "\xff"}))
	if want := "http://shop.test/?q=caf%E9"; err != nil || l.URL != want {
		t.Errorf("URL = %q, %v, want %q", l.URL, err, want)
	}
}

func TestATextThatIsTooLongIsCutAndMarked(t *testing.T) {
	long := "http://shop.test/" + strings.Repeat("\x01", 3*maxURL)
	b := appendLine(nil, &Skip{Reason: Stopped, URL: long, Referrer: long, Detail: long, Rule: long, Host: long, Method: long})
	if most := 6*(2*maxURL+5*maxText) + 500; len(b) > most {
		t.Errorf("a line of %d bytes, want at most %d", len(b), most)
	}
	l, err := parseLine(b)
	if err != nil || !l.Cut || l.askable() == nil {
		t.Errorf("parseLine: cut %v, %v, want it marked as cut", l.Cut, err)
	}
}

func TestATimeThatJSONCannotWriteIsLeftOut(t *testing.T) {
	b := appendLine(nil, &Skip{Reason: Stopped, RetryAt: time.Unix(1<<60, 0)})
	if got, want := string(b), `{"reason":"stopped"}`; got != want {
		t.Errorf("line = %s, want %s", got, want)
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add(appendLine(nil, &aSkip))
	f.Add([]byte(`{"reason":"stopped","waited":1e300}`))
	f.Add([]byte(`{"reason":"stopped","url":"http://a.test/","cut":true}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := parseLine(b)
		if err != nil {
			return
		}
		s := l.skip()
		again := appendLine(nil, &s)
		if !json.Valid(again) || !utf8.Valid(again) || bytes.ContainsAny(again, "\n\r\x1b") {
			t.Fatalf("written again: %q, want one line of JSON", again)
		}
		second, err := parseLine(again)
		if err != nil {
			t.Fatalf("parseLine(%s) = %v", again, err)
		}
		if l.askable() == nil && second.askable() == nil && second.URL != l.URL {
			t.Errorf("URL %q became %q", l.URL, second.URL)
		}
	})
}
