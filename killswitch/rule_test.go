package killswitch

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestARuleHasOneSpelling(t *testing.T) {
	zone := time.FixedZone("x", 3600)
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, zone)
	for _, x := range []struct{ in, want Rule }{
		{Rule{Host: "A.Example."}, Rule{Host: "a.example", Action: Stop}},
		{Rule{Domain: "BÜCHER.example"}, Rule{Domain: "xn--bcher-kva.example", Action: Stop}},
		{Rule{Host: "[2001:DB8::0:1]"}, Rule{Host: "2001:db8::1", Action: Stop}},
		{Rule{All: true, Scheme: "HTTPS", Action: "Drain"}, Rule{All: true, Scheme: "https", Action: Drain}},
		{Rule{Host: "a.example", Path: "/%7Ea/é**"}, Rule{Host: "a.example", Path: "/~a/%C3%A9*", Action: Stop}},
		{Rule{Host: "a.example", Reason: "a\xffb", Ticket: "\xe2\x82"}, Rule{Host: "a.example", Reason: "a\ufffdb", Ticket: "\ufffd", Action: Stop}},
		{Rule{Host: "a.example", Until: at}, Rule{Host: "a.example", Until: at.UTC(), Action: Stop}},
	} {
		got, err := x.in.canonical()
		if err != nil {
			t.Errorf("canonical(%+v) = %v, want nil", x.in, err)
		}
		if d := cmp.Diff(x.want, got); d != "" {
			t.Errorf("canonical(%+v): -want +got\n%s", x.in, d)
		}
		if again, err := got.canonical(); err != nil || again != got {
			t.Errorf("canonical of the canonical %+v = %+v, %v", got, again, err)
		}
	}
}

func TestARuleThatIsNotUsableIsAnErrorThatNamesTheField(t *testing.T) {
	s := newSwitch(t, Options{})
	for _, x := range []struct {
		rule Rule
		want string
	}{
		{Rule{}, "exactly one of Host, Domain and All"},
		{Rule{Host: "a.example", All: true}, "exactly one of Host, Domain and All"},
		{Rule{Host: "a.example:8080"}, "put it into Port"},
		{Rule{Host: "https://a.example/"}, "Host"},
		{Rule{Domain: "*.a.example"}, "Domain"},
		{Rule{Host: "a.example", Port: 65536}, "Port"},
		{Rule{Host: "a.example", Port: -1}, "Port"},
		{Rule{Host: "a.example", Scheme: "ftp"}, "Scheme"},
		{Rule{Host: "a.example", Path: "search"}, "Path"},
		{Rule{Host: "a.example", Path: "/" + strings.Repeat("é", 8<<10/3)}, "Path"}, // three times as long once it is escaped
		{Rule{Host: "a.example", Reason: strings.Repeat("x", 8<<10+1)}, "Reason"},
		{Rule{Host: "a.example", Ticket: strings.Repeat("x", 8<<10+1)}, "Ticket"},
		{Rule{Host: "a.example", Action: "pause"}, "Action"},
		{Rule{Host: "a.example", ID: "../x"}, "ID"},
		{Rule{Host: "a.example", ID: ".."}, "ID"},
		{Rule{Host: "a.example", ID: strings.Repeat("x", 65)}, "ID"},
		{Rule{Host: "a.example", Until: time.Now().Add(-time.Second)}, "Until"},
		{Rule{Host: "a.example", Until: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, "Until"},
	} {
		id, err := s.Stop(x.rule)
		if err == nil || !strings.Contains(err.Error(), x.want) || id != "" {
			t.Errorf("Stop(%+v) = %q, %v, want an error with %q", x.rule, id, err, x.want)
		}
	}
	if got := len(s.Rules()); got != 0 {
		t.Errorf("%d rules in force after errors alone, want 0", got)
	}
}

func TestAnIDIsMadeUpAndTheSameRuleTwiceIsOne(t *testing.T) {
	s := newSwitch(t, Options{})
	a := mustStop(t, s, Rule{Host: "a.example", Reason: "x"})
	b := mustStop(t, s, Rule{Host: "b.example", Reason: "x"})
	if !validID(a) || !validID(b) || a == b {
		t.Errorf("made up IDs %q and %q, want two different usable ones", a, b)
	}
	again := mustStop(t, s, Rule{ID: a, Host: "A.EXAMPLE", Reason: "x"})
	if got, want := again, a; got != want {
		t.Errorf("Stop of the same rule = %q, want %q", got, want)
	}
	if _, err := s.Stop(Rule{ID: a, Host: "c.example", Reason: "x"}); err == nil {
		t.Error("Stop of another rule under the same ID = nil, want an error")
	}
	if got, want := len(s.Rules()), 2; got != want {
		t.Errorf("%d rules, want %d", got, want)
	}
}

func TestRequireTicketRefusesAStopWithoutOne(t *testing.T) {
	s := newSwitch(t, Options{RequireTicket: true})
	if _, err := s.Stop(Rule{Host: "a.example", Reason: "x"}); err == nil {
		t.Error("Stop without a ticket = nil, want an error")
	}
	mustStop(t, s, Rule{Host: "a.example", Reason: "x", Ticket: "OPS-1"})
}
