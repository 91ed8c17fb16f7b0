package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatATutorialsStringGets(t *testing.T) {
	var out bytes.Buffer
	if ok := run(&out, []string{"AcmeBot/1.2 (you@yourdomain.com)"}); !ok {
		t.Errorf("run = false, want true: it may go to .test names")
	}
	want := `AcmeBot/1.2 (you@yourdomain.com)
  contact   you@yourdomain.com
  problem   placeholder: "yourdomain" was to be filled in: put in a contact of your own
  problem   no-contact: nobody can be reached: add the https page about the crawler or an email address, such as "AcmeBot/1.2 (+https://bot.acme.dev/crawler; mailto:crawl@acme.dev)"
  token     AcmeBot
  sent      User-Agent: AcmeBot/1.2 (you@yourdomain.com)
            From: you@yourdomain.com
  sent to   http://localhost:8080/
  sent to   http://shop.test/
  refused   https://www.wikipedia.org/
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("run: (-want +got)\n%s", diff)
	}
}

func TestTheLessonsEndWithAStringThatIsRight(t *testing.T) {
	var out bytes.Buffer
	run(&out, nil)
	parts := strings.Split(strings.TrimSpace(out.String()), "\n\n")
	for i, want := range []struct{ holds, lacks string }{
		{"library-default", "sent      User-Agent"},
		{"browser", "sent      User-Agent"},
		{"refused   https://www.wikipedia.org/", "nothing, anywhere"},
		{"From: crawl@acme.dev", "problem"},
	} {
		if i >= len(parts) || !strings.Contains(parts[i], want.holds) || strings.Contains(parts[i], want.lacks) {
			t.Errorf("lesson %d of %q, want it to hold %q and lack %q", i, parts, want.holds, want.lacks)
		}
	}
}

func TestAStringThatMayNotGoOutIsAFailure(t *testing.T) {
	for _, args := range [][]string{{"curl/8.5.0"}, {"AcmeBot/1.0 (c@acme.dev)", "OtherBot"}, {"a", "b", "c"}} {
		if run(&bytes.Buffer{}, args) {
			t.Errorf("run(%q) = true, want false", args)
		}
	}
}
