package collyrobots

import (
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/collyetiquette/etiquette/internal/token"
	"github.com/jimsmart/grobotstxt"
)

// grobotstxt is the parser underneath and the oracle beside, but it is not RFC 9309 to the letter. Each known deviation has a
// name and a predicate that says whether it can bear on a case. A disagreement that no predicate covers is a bug of ours.

// question is one decision on one file.
type question struct {
	body, agent, url string

	rules []questionRule
	names []string // of all records
	who   []string // the values of the agent lines
}

type questionRule struct {
	value string
	allow bool
}

func ask(body, agent, url string) *question {
	q := &question{body: body, agent: agent, url: url}
	for _, line := range linesOf(body) {
		name, value, ok := splitRecord(line)
		if !ok {
			continue
		}
		q.names = append(q.names, name)
		switch kind := recordKindOf(name); kind {
		case agentRecord:
			q.who = append(q.who, value)
		case allowRecord, disallowRecord:
			q.rules = append(q.rules, questionRule{value, kind == allowRecord})
		}
	}
	return q
}

// anyRule reports whether one of the rules is such.
func (q *question) anyRule(such func(value string) bool) bool {
	for _, r := range q.rules {
		if such(r.value) {
			return true
		}
	}
	return false
}

// inRuleOrURL reports whether the text of a rule or the URL is such.
func (q *question) inRuleOrURL(such func(text string) bool) bool {
	return such(q.url) || q.anyRule(such)
}

type deviation struct {
	name             string
	bearsOn          func(q *question) bool
	example          question // where it shows
	grobotstxtAllows bool
}

var deviations = []deviation{
	{
		"escapes in rules are garbled", func(q *question) bool {
			return q.anyRule(func(value string) bool {
				lower, digit, high := false, false, false
				eachEscape(value, func(hex string) {
					lower = lower || hex != strings.ToUpper(hex)
					digit = digit || strings.ContainsAny(hex, "0123456789")
				})
				for i := range len(value) {
					high = high || value[i] >= 0x80
				}
				return digit && (lower || high)
			})
		},
		question{body: "User-agent: *\nDisallow: /a%3cd", url: "/a%3Cd"}, true,
	},
	{
		"unreserved octets are not decoded", func(q *question) bool {
			return q.inRuleOrURL(func(text string) bool {
				found := false
				eachEscape(text, func(hex string) { found = found || isUnreserved(octetOf(hex)) })
				return found
			})
		},
		question{body: "User-agent: *\nDisallow: /%7Eann", url: "/~ann"}, true,
	},
	{
		"hexadecimal digits of the URI keep their case", func(q *question) bool {
			found := false
			eachEscape(q.url, func(hex string) { found = found || hex != strings.ToUpper(hex) })
			return found
		},
		question{body: "User-agent: *\nDisallow: /r%2Fv", url: "/r%2fv"}, true,
	},
	{
		"escaped and raw * and $ are different", func(q *question) bool {
			return q.inRuleOrURL(func(text string) bool {
				upper := strings.ToUpper(text)
				return strings.Contains(upper, "%2A") || strings.Contains(upper, "%24")
			})
		},
		question{body: "User-agent: *\nDisallow: /m-%2A.txt", url: "/m-*.txt"}, true,
	},
	{
		"a $ inside a rule counts as one octet, not as its escape", func(q *question) bool {
			return q.anyRule(func(value string) bool { return strings.Contains(strings.TrimSuffix(value, "$"), "$") })
		},
		question{body: "User-agent: *\nDisallow: /$b\nAllow: /*b", url: "/$b"}, true,
	},
	{
		"the path is encoded anew", func(q *question) bool {
			u, err := url.Parse(q.url)
			return err == nil && u.String() != q.url
		},
		question{body: "User-agent: *\nDisallow: /a/b/", url: "/a%2Fb/é"}, false,
	},
	{
		"the query keeps octets that no URI holds", func(q *question) bool {
			_, query, _ := strings.Cut(q.url, "?")
			return strings.IndexFunc(query, func(r rune) bool { return r >= 0x80 || isForbidden(byte(r)) }) >= 0
		},
		question{body: "User-agent: *\nDisallow: /s?q=é", url: "/s?q=é"}, true,
	},
	{
		"what net/url refuses is disallowed", func(q *question) bool {
			_, err := url.Parse(q.url)
			return err != nil
		},
		question{body: "", url: "/100%"}, false,
	},
	{
		"/robots.txt is not exempt", func(q *question) bool {
			u, err := url.Parse(q.url)
			return err == nil && u.Path == "/robots.txt"
		},
		question{body: "User-agent: *\nDisallow: /", url: "/robots.txt"}, false,
	},
	{
		"an allow for index.html allows the directory", func(q *question) bool {
			return q.anyRule(func(value string) bool { return strings.Contains(value, "/index.htm") })
		},
		question{body: "User-agent: *\nAllow: /x/index.html\nDisallow: /", url: "/x/"}, true,
	},
	{
		"record names are compared by their beginning", func(q *question) bool {
			for _, name := range q.names {
				if recordKindOf(name) == unknownRecord {
					for known := range recordKinds {
						if strings.HasPrefix(strings.ToLower(strings.TrimSpace(name)), known) {
							return true
						}
					}
				}
			}
			return false
		},
		question{body: "User-agent: *\nDisallow-ai: /k", url: "/k"}, false,
	},
	{
		"names of agents go on behind a product token", func(q *question) bool {
			for _, value := range q.who {
				name := token.Cut(value)
				if rest := value[len(name):]; name != "" && rest != "" && strings.IndexByte("0123456789~#$%'*+.^`|", rest[0]) >= 0 {
					return true
				}
			}
			return false
		},
		question{body: "User-agent: FooBot*\nDisallow: /", url: "/"}, true,
	},
	{
		"the caller's agent is compared as it stands", func(q *question) bool { return !token.Valid(q.agent) },
		question{body: "User-agent: FooBot\nDisallow: /", agent: "FooBot/1.0", url: "/"}, true,
	},
	{
		"Unicode white space is trimmed", func(q *question) bool {
			for _, value := range q.who {
				if strings.HasPrefix(value, "*\x85") || strings.HasPrefix(value, "*\xA0") {
					return true
				}
			}
			return strings.IndexFunc(q.body, func(r rune) bool { return r >= utf8.RuneSelf && unicode.IsSpace(r) }) >= 0
		},
		question{body: "User-agent: *\nDisallow: /bar\u00A0", url: "/bars"}, false,
	},
	{
		"long lines are cut", func(q *question) bool {
			for _, line := range linesOf(q.body) {
				if len(line) > parserLine {
					return true
				}
			}
			return false
		},
		question{body: "User-agent: *\nDisallow: /" + strings.Repeat("k", parserLine) + "/end", url: "/" + strings.Repeat("k", parserLine) + "/fin"}, false,
	},
	{
		"there is no parsing limit", func(q *question) bool { return len(q.body) > parsingLimit },
		question{body: padTo(parsingLimit) + "Disallow: /", url: "/"}, false,
	},
	{
		"octets that no URI holds are never escaped in rules", func(q *question) bool {
			return q.inRuleOrURL(func(text string) bool {
				for i := range len(text) {
					if isForbidden(text[i]) {
						return true
					}
				}
				return false
			})
		},
		question{body: "User-agent: *\nDisallow: /a|b", url: "/a|b"}, true,
	},
	{
		"a ; in the userinfo begins the path", func(q *question) bool {
			_, rest, _ := strings.Cut(q.url, "://")
			authority, _, _ := strings.Cut(rest, "/")
			return strings.Contains(authority, ";")
		},
		question{body: "User-agent: *\nDisallow: /bar", url: "https://us;er@h.example/bar"}, true,
	},
}

// eachEscape calls f with the digits of each escape in s.
func eachEscape(s string, f func(hex string)) {
	for i := 0; i+2 < len(s); i++ {
		if s[i] == '%' && strings.Trim(s[i+1:i+3], "0123456789abcdefABCDEF") == "" {
			f(s[i+1 : i+3])
			i += 2
		}
	}
}

func octetOf(hex string) byte {
	const digits = "0123456789ABCDEF"
	upper := strings.ToUpper(hex)
	return byte(strings.IndexByte(digits, upper[0])<<4 | strings.IndexByte(digits, upper[1]))
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// isForbidden reports whether c is an ASCII octet that no URI holds.
func isForbidden(c byte) bool {
	return c <= ' ' || c == 0x7F || strings.IndexByte("<>\"\\^`{}|", c) >= 0
}

// explain names the first deviation that bears on q.
func (q *question) explain() (name string, ok bool) {
	for _, d := range deviations {
		if d.bearsOn(q) {
			return d.name, true
		}
	}
	return "", false
}

func (q *question) ours() bool { return Compile([]byte(q.body), q.agent).Match(q.url).Allowed }

func (q *question) theirs() bool { return grobotstxt.AgentAllowed(q.body, q.agent, q.url) }

// Every deviation is shown by its example, with the other decision on our side, and is what explains it.
func TestDeviationsOfGrobotstxt(t *testing.T) {
	for _, d := range deviations {
		q := ask(d.example.body, d.example.agent, d.example.url)
		if q.agent == "" {
			q.agent = "FooBot"
		}
		if strings.HasPrefix(q.url, "/") {
			q.url = "https://h.example" + q.url
		}
		if got := q.theirs(); got != d.grobotstxtAllows {
			t.Errorf("%s: grobotstxt allows %.80q: %v, want %v", d.name, q.url, got, d.grobotstxtAllows)
		}
		if got := q.ours(); got == d.grobotstxtAllows {
			t.Errorf("%s: we allow %.80q: %v, want %v", d.name, q.url, got, !d.grobotstxtAllows)
		}
		if !d.bearsOn(q) {
			t.Errorf("%s: the predicate does not cover its own example %.80q", d.name, q.body)
		}
	}
}

func TestNoDeviationBearsOnAnOrdinaryFile(t *testing.T) {
	for _, url := range []string{"https://h.example/", "https://h.example/a/b.html?id=1&x=%2F"} {
		q := ask("\uFEFFUser-agent: *\r\nDisallow: /a/*.php$\r\nAllow: /%2F\r\n\r\nSitemap: https://h.example/s.xml\r\nuser-agent: FooBot\nCrawl-delay: 1\nDisallow: /é\n", "FooBot", url)
		if name, ok := q.explain(); ok {
			t.Errorf("deviation %q bears on an ordinary file and %q", name, url)
		}
	}
}
