package killswitch

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/internal/pattern"
)

// Action says what a rule does with the requests that it covers.
type Action string

// The actions, strongest first. Where several rules cover a request, the strongest decides.
const (
	// Stop refuses new requests, ends those under way and takes queued ones out. It is what an empty Action means.
	Stop Action = "stop"
	// Drain refuses new requests and takes queued ones out; what is under way may come to its end.
	Drain Action = "drain"
	// Observe refuses nothing: it counts and logs what Stop would refuse.
	Observe Action = "observe"
)

// Rule stops one part of the web. Exactly one of Host, Domain and All says which; Scheme, Port and Path narrow it. There are no exceptions
// and no order: any rule that covers a request stops it, so that one more rule never lets more through.
type Rule struct {
	// ID names the rule: 1 to 64 of "A-Z a-z 0-9 . _ -". Empty: one is made up.
	ID string `json:"id,omitempty"`
	// Host is one name or address, without its subdomains, in any spelling (capitals, trailing dot, IDNA). It holds no port.
	Host string `json:"host,omitempty"`
	// Domain is a name and every name below it: shop.example covers www.shop.example and not myshop.example.
	Domain string `json:"domain,omitempty"`
	// All covers every request.
	All bool `json:"all,omitempty"`
	// Scheme is "http" or "https". Empty: both.
	Scheme string `json:"scheme,omitempty"`
	// Port is 1 to 65535, where 80 and 443 are what a URL without a port means. Zero: every port.
	Port int `json:"port,omitempty"`
	// Path is a pattern as in robots.txt: from the first octet of path and query on, with "*" for anything and "$" for the end (RFC 9309,
	// 2.2.3). Empty: every path.
	Path string `json:"path,omitempty"`
	// Action is Stop, Drain or Observe. Empty: Stop.
	Action Action `json:"action,omitempty"`
	// Until is when the rule ends by itself. Zero: a person has to lift it.
	Until time.Time `json:"until,omitzero"`
	// Reason is for those who ask later. It should never be empty; a stop file with a rule that has none counts as invalid.
	Reason string `json:"reason,omitempty"`
	// Ticket is where the request to stop is kept.
	Ticket string `json:"ticket,omitempty"`
}

// Scope is what the rule covers, in words: "domain shop.example, https, port 8443, path /search".
func (r Rule) Scope() string {
	var b strings.Builder
	switch {
	case r.All:
		b.WriteString("every host")
	case r.Domain != "":
		b.WriteString("domain " + r.Domain)
	default:
		b.WriteString("host " + r.Host)
	}
	if r.Scheme != "" {
		b.WriteString(", " + r.Scheme)
	}
	if r.Port != 0 {
		fmt.Fprintf(&b, ", port %d", r.Port)
	}
	if r.Path != "" {
		b.WriteString(", path " + r.Path)
	}
	return b.String()
}

// canonical is the rule with every field in its one spelling, so that equal rules are equal values. The error names the field.
func (r Rule) canonical() (Rule, error) {
	scopes := 0
	for _, given := range []bool{r.Host != "", r.Domain != "", r.All} {
		if given {
			scopes++
		}
	}
	if scopes != 1 {
		return Rule{}, fmt.Errorf("exactly one of Host, Domain and All must be set, not %d", scopes)
	}
	if r.ID != "" && !validID(r.ID) {
		return Rule{}, fmt.Errorf("ID %q: 1 to 64 of A-Z a-z 0-9 . _ - are allowed", r.ID)
	}
	var errs [9]error
	if r.Host != "" {
		r.Host, errs[0] = canonicalName("Host", r.Host)
	}
	if r.Domain != "" {
		r.Domain, errs[1] = canonicalName("Domain", r.Domain)
	}
	r.Scheme, errs[2] = canonicalScheme(r.Scheme)
	errs[3] = checkPort(r.Port)
	r.Path, errs[4] = canonicalPath(r.Path)
	r.Action, errs[5] = canonicalAction(r.Action)
	r.Until, errs[6] = canonicalUntil(r.Until)
	r.Reason, r.Ticket = strings.ToValidUTF8(r.Reason, "\ufffd"), strings.ToValidUTF8(r.Ticket, "\ufffd") // as JSON keeps them
	errs[7], errs[8] = checkNote("Reason", r.Reason), checkNote("Ticket", r.Ticket)
	return r, errors.Join(errs[:]...)
}

// validID leaves out "." and "..", which mean something else in the path of a URL.
func validID(id string) bool {
	if len(id) == 0 || len(id) > 64 || id == "." || id == ".." {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}

func canonicalName(field, name string) (string, error) {
	if strings.IndexByte(name, ':') < 0 {
		// neither a port nor an IPv6 address
	} else if _, _, err := net.SplitHostPort(name); err == nil {
		return "", fmt.Errorf("%s %q holds a port: put it into Port, or leave it out to stop all of them", field, name)
	}
	key, err := origin.HostKeyOf(name)
	if err != nil {
		return "", fmt.Errorf("%s %q is no name: %w", field, name, err)
	}
	return strings.Clone(key), nil
}

func canonicalScheme(s string) (string, error) {
	switch lower := strings.ToLower(s); lower {
	case "", "http", "https":
		return lower, nil
	}
	return "", fmt.Errorf("its Scheme %q is neither http nor https", s)
}

func checkPort(port int) error {
	if port < 0 || port > 65535 {
		return fmt.Errorf("its Port %d is not between 1 and 65535", port)
	}
	return nil
}

// maxNote bounds Reason, Ticket and Path, in bytes: each of them is written into every line of the audit log about the rule.
const maxNote = 8 << 10

func checkNote(field, text string) error {
	if len(text) > maxNote {
		return fmt.Errorf("its %s has %d bytes, more than %d", field, len(text), maxNote)
	}
	return nil
}

func canonicalPath(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	p := pattern.Compile(path)
	if !p.Matchable() {
		return "", fmt.Errorf("its Path %q matches nothing: it must begin with / or *", short(path))
	}
	return strings.Clone(p.String()), checkNote("Path", p.String())
}

func canonicalAction(a Action) (Action, error) {
	switch lower := Action(strings.ToLower(string(a))); lower {
	case "":
		return Stop, nil
	case Stop, Drain, Observe:
		return lower, nil
	}
	return "", fmt.Errorf("Action %q is none of stop, drain and observe", a)
}

// canonicalUntil drops the zone and the monotonic clock. RFC 3339 knows the years 0 to 9999.
func canonicalUntil(t time.Time) (time.Time, error) {
	if t.IsZero() {
		return time.Time{}, nil
	}
	t = t.Round(0).UTC()
	if t.Year() < 0 || t.Year() > 9999 {
		return time.Time{}, fmt.Errorf("its Until: the year %d cannot be written in RFC 3339", t.Year())
	}
	return t, nil
}
