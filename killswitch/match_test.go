package killswitch

import (
	"fmt"
	"net/url"
	"testing"
	"testing/synctest"
	"time"
)

func TestWhichURLsARuleCovers(t *testing.T) {
	for _, x := range []struct {
		name string
		rule Rule
		url  string
		want bool
	}{
		{"capitals and a trailing dot", Rule{Host: "a.example"}, "http://A.EXAMPLE./", true},
		{"default port", Rule{Host: "a.example"}, "https://a.example:443/", true},
		{"any port", Rule{Host: "a.example"}, "https://a.example:8443/", true},
		{"userinfo", Rule{Host: "a.example"}, "http://u:p@a.example/", true},
		{"IDNA", Rule{Host: "bücher.example"}, "http://xn--bcher-kva.example/", true},
		{"IDNA the other way", Rule{Host: "xn--bcher-kva.example"}, "http://B%C3%9CCHER.example/", true},
		{"an address in another spelling", Rule{Host: "127.0.0.1"}, "http://127.1/", true},
		{"IPv6", Rule{Host: "2001:db8::1"}, "http://[2001:0db8:0::1]:80/", true},
		{"a host is not its subdomains", Rule{Host: "a.example"}, "http://www.a.example/", false},
		{"a host is not its parent", Rule{Host: "www.a.example"}, "http://a.example/", false},
		{"a domain is itself", Rule{Domain: "shop.example"}, "http://shop.example/", true},
		{"a domain is its subdomains", Rule{Domain: "shop.example"}, "http://a.b.shop.example/", true},
		{"whole labels", Rule{Domain: "shop.example"}, "http://myshop.example/", false},
		{"whole labels at the end", Rule{Domain: "shop.example"}, "http://shop.example.org/", false},
		{"a top level", Rule{Domain: "example"}, "http://shop.example/", true},
		{"an address has no subdomains", Rule{Domain: "0.0.1"}, "http://10.0.0.1/", false},
		{"all", Rule{All: true}, "https://x.example/", true},
		{"scheme", Rule{Host: "a.example", Scheme: "https"}, "http://a.example/", false},
		{"scheme in capitals", Rule{Host: "a.example", Scheme: "HTTPS"}, "https://a.example/", true},
		{"port 443 is none", Rule{Host: "a.example", Port: 443}, "https://a.example/", true},
		{"port 443 is not http's", Rule{Host: "a.example", Port: 443}, "http://a.example/", false},
		{"a full stop in another script", Rule{Host: "a.example"}, "http://a\u3002example/", true},
		{"capitals in another script", Rule{Domain: "STRASSE.example"}, "http://\uff33trasse.example/", true},
		{"an IPv4 address as IPv6", Rule{Host: "192.0.2.1"}, "http://[::ffff:192.0.2.1]/", true},
		{"an IPv4 address in octal", Rule{Host: "192.0.2.1"}, "http://0300.0.2.1:8080/", true},
		{"an IPv4 address as one number", Rule{Host: "192.0.2.1"}, "http://3221225985/", true},
		{"two trailing dots cannot be compared", Rule{Host: "a.example"}, "http://a.example../", true},
		{"userinfo that looks like a host", Rule{Host: "a.example"}, "http://a.example@b.example/", false},
		{"userinfo that hides a host", Rule{Host: "b.example"}, "http://a.example:80@b.example/", true},
		{"port with zeros", Rule{Host: "a.example", Port: 8080}, "http://a.example:08080/", true},
		{"path from its first octet", Rule{Host: "a.example", Path: "/search"}, "http://a.example/search/x?q=1", true},
		{"another path", Rule{Host: "a.example", Path: "/search"}, "http://a.example/a/search", false},
		{"path in capitals is another", Rule{Host: "a.example", Path: "/search"}, "http://a.example/Search", false},
		{"path with wildcard and end", Rule{Host: "a.example", Path: "/*.pdf$"}, "http://a.example/x/y.pdf", true},
		{"path behind its end", Rule{Host: "a.example", Path: "/*.pdf$"}, "http://a.example/y.pdf?x", false},
		{"path escaped", Rule{Host: "a.example", Path: "/~a"}, "http://a.example/%7Ea", true},
		{"path behind dot segments", Rule{Host: "a.example", Path: "/search"}, "http://a.example/x/../search?q=1", true},
		{"path behind escaped dot segments", Rule{Host: "a.example", Path: "/search$"}, "http://a.example/x/y/%2e%2E/./.%2e/search", true},
		{"path behind a second slash", Rule{Host: "a.example", Path: "/search"}, "http://a.example//search", true},
		{"path with a slash at its end", Rule{Host: "a.example", Path: "/search/$"}, "http://a.example/./search/", true},
		{"dots that lead elsewhere", Rule{Host: "a.example", Path: "/search"}, "http://a.example/x/../sea/rch", false},
		{"dots in the query are text", Rule{Host: "a.example", Path: "/search"}, "http://a.example/x?/../search", false},
		{"query", Rule{Host: "a.example", Path: "/*?*sid="}, "http://a.example/x?y=1&sid=2", true},
		{"path of a domain", Rule{Domain: "a.example", Path: "/x"}, "http://www.a.example/x", true},
		{"path of all", Rule{All: true, Path: "/x"}, "http://www.a.example/x", true},
		{"no path is /", Rule{Host: "a.example", Path: "/$"}, "http://a.example", true},
		{"drain refuses", Rule{Host: "a.example", Action: Drain}, "http://a.example/", true},
		{"observe does not", Rule{Host: "a.example", Action: Observe}, "http://a.example/", false},
		{"a host that cannot be compared", Rule{Host: "a.example"}, "http://a.example:99999/", true},
		{"no host at all", Rule{Host: "a.example"}, "/a", false},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newSwitch(t, Options{})
			x.rule.Reason = "asked"
			mustStop(t, s, x.rule)
			wantStopped(t, s, x.want, x.url)
		})
	}
}

func TestWithoutRulesNothingIsStopped(t *testing.T) {
	s := newSwitch(t, Options{})
	wantStopped(t, s, false, "http://a.example/", "http://a.example:99999/")
	if _, is := s.Check(nil); is {
		t.Error("Check(nil) = true, want false")
	}
	var u url.URL
	mustStop(t, s, Rule{All: true, Reason: "x"})
	if _, is := s.Check(&u); !is {
		t.Error("Check of an empty URL with everything stopped = false, want true")
	}
}

func TestTheStrongestRuleDecidesWhateverTheOrder(t *testing.T) {
	for _, order := range [][]Action{{Observe, Drain, Stop}, {Stop, Drain, Observe}, {Drain, Stop, Observe}} {
		s := newSwitch(t, Options{})
		for i, a := range order {
			r := Rule{ID: string(a), Host: "a.example", Action: a, Reason: "x"}
			if i == 1 {
				r.Host, r.Domain = "", "example"
			}
			mustStop(t, s, r)
		}
		if r, is := s.Check(mustURL(t, "http://a.example/")); !is || r.Action != Stop {
			t.Errorf("made in the order %v: Check = %+v, %v, want the stop", order, r, is)
		}
		for _, id := range []string{"stop", "drain"} {
			if err := s.Lift(id, "done"); err != nil {
				t.Fatal(err)
			}
		}
		wantStopped(t, s, false, "http://a.example/")
	}
}

func TestUntilOpensAtItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSwitch(t, Options{})
		mustStop(t, s, Rule{Host: "a.example", Until: time.Now().Add(time.Hour), Reason: "x"})
		time.Sleep(time.Hour - time.Nanosecond)
		wantStopped(t, s, true, "http://a.example/")
		time.Sleep(time.Nanosecond)
		wantStopped(t, s, false, "http://a.example/")
		if got := len(s.Rules()); got != 0 {
			t.Errorf("%d rules after Until, want 0", got)
		}
	})
}

func TestALiftOfOneRuleLeavesTheOthers(t *testing.T) {
	s := newSwitch(t, Options{})
	a := mustStop(t, s, Rule{Host: "a.example", Reason: "x"})
	mustStop(t, s, Rule{Host: "a.example", Reason: "y"})
	if err := s.Lift(a, ""); err == nil {
		t.Error("Lift without a reason = nil, want an error")
	}
	if err := s.Lift(a, "done"); err != nil {
		t.Errorf("Lift = %v, want nil", err)
	}
	wantStopped(t, s, true, "http://a.example/")
	if err := s.Lift(a, "done"); err == nil {
		t.Error("a second Lift = nil, want an error")
	}
}

func loaded(b testing.TB, n int) *Switch {
	s := newSwitch(b, Options{})
	for i := range n {
		r := Rule{Host: fmt.Sprintf("host%d.example", i), Reason: "x"}
		if i%2 == 1 {
			r.Domain, r.Host = r.Host, ""
		}
		mustStop(b, s, r)
	}
	return s
}

func TestCheckAllocatesNothingHoweverManyRulesThereAre(t *testing.T) {
	s := loaded(t, 2000)
	for _, raw := range []string{"https://www.shop.test/a/b?c=d", "https://www.host1.example/", "https://host2.example/"} {
		u := mustURL(t, raw)
		if got := testing.AllocsPerRun(100, func() { s.Check(u) }); got != 0 {
			t.Errorf("Check(%s) allocates %v times, want 0", raw, got)
		}
	}
}

func BenchmarkCheck100000Rules(b *testing.B) {
	s := loaded(b, 100_000)
	for _, raw := range []string{"https://www.shop.test/a/b?c=d", "https://www.host1.example/a"} {
		u := mustURL(b, raw)
		b.Run(u.Host, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Check(u)
			}
		})
	}
}
