package collyrobots

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const groupsFile = `User-agent: *
Disallow: /star
Crawl-delay: 1

User-agent: OwnBot
Disallow: /own
Crawl-delay: 2

User-agent: GPTBot
User-agent: CCBot
Disallow: /train
Allow: /train/free
Allow: /own/free
Crawl-delay: 9
`

func TestTheGroupWeAreJudgedBy(t *testing.T) {
	for _, tt := range []struct {
		rule, body, token string
		kind              groupKind
		line              int
	}{
		{"2.2.1 the one that names us", groupsFile, "OwnBot", groupNamed, 5},
		{"2.2.1 case does not count", groupsFile, "ownbot", groupNamed, 5},
		{"2.2.1 else *", groupsFile, "OtherBot", groupStar, 1},
		{"2.2.1 the first of several", "User-agent: A\nDisallow: /\n\nUser-agent: B\n\nUser-agent: A\n", "A", groupNamed, 1},
		{"2.2.1 one without a rule too", "User-agent: *\nDisallow: /\n\nUser-agent: A", "A", groupNamed, 4},
		{"2.2.1 else none", "User-agent: A\nDisallow: /\n", "B", groupNone, 0},
		{"no group at all", "", "B", groupNone, 0},
		{"* with more words", "User-agent: * everybody\nDisallow: /\n", "B", groupStar, 1},
		{"** is neither * nor a token", "User-agent: **\nDisallow: /\n", "B", groupNone, 0},
	} {
		r := Compile([]byte(tt.body), tt.token)
		if r.group != tt.kind || r.groupLine != tt.line {
			t.Errorf("%s: group for %s = %v in line %d, want %v in line %d", tt.rule, tt.token, r.group, r.groupLine, tt.kind, tt.line)
		}
	}
}

func TestAlsoObey(t *testing.T) {
	for _, tt := range []struct {
		rule, token string
		also        []string
		disallowed  string // of the paths below, each followed by a blank
		delay       time.Duration
	}{
		{"alone", "OwnBot", nil, "/own /own/free ", 2},
		{"a URL must be allowed for us and for the others", "OwnBot", []string{"GPTBot"}, "/own /own/free /train ", 9},
		{"two of one group", "OwnBot", []string{"GPTBot", "CCBot"}, "/own /own/free /train ", 9},
		{"case does not count", "OwnBot", []string{"gptbot"}, "/own /own/free /train ", 9},
		{"a token no group names adds nothing, not even *", "OwnBot", []string{"Nobody"}, "/own /own/free ", 2},
		{"* is no token", "OwnBot", []string{"*", ""}, "/own /own/free ", 2},
		{"our own adds nothing", "OwnBot", []string{"OwnBot", "OWNBOT"}, "/own /own/free ", 2},
		{"without a group of our own * is ours", "Stranger", []string{"CCBot"}, "/star /train ", 9},
		{"a User-Agent for a token", "OwnBot/1.0", []string{"GPTBot/2.0 (+https://openai.com)"}, "/own /own/free /train ", 9},
	} {
		r := Compile([]byte(groupsFile), tt.token, tt.also...)
		got := ""
		for _, path := range []string{"/", "/star", "/own", "/own/free", "/train", "/train/free"} {
			if !r.Match(path).Allowed {
				got += path + " "
			}
		}
		if got != tt.disallowed {
			t.Errorf("%s: Compile(%q, %q) disallows %q, want %q", tt.rule, tt.token, tt.also, got, tt.disallowed)
		}
		if d, ok := r.CrawlDelay(); !ok || d != tt.delay*time.Second {
			t.Errorf("%s: CrawlDelay() = %v, %v, want %v", tt.rule, d, ok, tt.delay*time.Second)
		}
	}
}

func TestAlsoObeyTellsTheRuleThatDisallows(t *testing.T) {
	r := Compile([]byte(groupsFile), "OwnBot", "GPTBot")
	for url, want := range map[string]Match{
		"https://h.example/own":         {Line: 6, Rule: "disallow: /own"},
		"https://h.example/own/free":    {Line: 6, Rule: "disallow: /own"},
		"https://h.example/train":       {Line: 11, Rule: "disallow: /train"},
		"https://h.example/train/free":  {Allowed: true}, // allowed by theirs, and by none of ours
		"https://h.example/robots.txt":  {Allowed: true},
		"https://h.example/star?/train": {Allowed: true},
	} {
		if got := r.Match(url); got != want {
			t.Errorf("Match(%q) = %+v, want %+v", url, got, want)
		}
	}
}

// Without a group for us, those obeyed besides still count.
func TestAlsoObeyWithoutAGroupForUs(t *testing.T) {
	r := Compile([]byte("User-agent: GPTBot\nDisallow: /train\n"), "OwnBot", "GPTBot")
	if got := r.Match("/train").Allowed; got {
		t.Errorf("Match(/train).Allowed = %v, want false", got)
	}
	if got := r.Match("/else").Allowed; !got {
		t.Errorf("Match(/else).Allowed = %v, want true", got)
	}
}

// Every mix of tokens must decide as if each token had been asked alone.
func TestAlsoObeyIsTheMostRestrictiveOfAll(t *testing.T) {
	var body strings.Builder
	tokens := []string{"a", "b", "c", "d", "e"}
	for g := range 40 { // groups for overlapping sets of agents
		for i, token := range tokens {
			if (g*7+3)>>i&1 != 0 {
				fmt.Fprintf(&body, "User-agent: %s\n", token)
			}
		}
		fmt.Fprintf(&body, "Disallow: /%d*x\nAllow: /%d/%dx\n", g%8, g%5, g%3)
	}
	body.WriteString("User-agent: *\nDisallow: /7\n")
	var paths []string
	for i := range 8 {
		for j := range 4 {
			paths = append(paths, fmt.Sprintf("/%d/%dx", i, j), fmt.Sprintf("/%d/%d", i, j))
		}
	}
	for mix := range 1 << len(tokens) {
		var also []string
		for i, token := range tokens {
			if mix>>i&1 != 0 {
				also = append(also, token)
			}
		}
		r := Compile([]byte(body.String()), "z", also...)
		for _, path := range paths {
			want := Compile([]byte(body.String()), "z").Match(path).Allowed
			for _, token := range also {
				want = want && Compile([]byte(body.String()), token).Match(path).Allowed
			}
			if got := r.Match(path).Allowed; got != want {
				t.Fatalf("also obeying %q: Match(%q).Allowed = %v, want %v", also, path, got, want)
			}
		}
	}
}

// A rule for many agents is kept once, and a file with many groups for many agents does not multiply.
func TestManyAgentsInManyGroupsStayLinear(t *testing.T) {
	var tokens []string
	for i := range 150 {
		tokens = append(tokens, "agent-"+word(i, 3, "abcdefghij"))
	}
	agents := func(list []string) string { return "User-agent: " + strings.Join(list, "\nUser-agent: ") + "\n" }
	var shared strings.Builder
	shared.WriteString(agents(tokens))
	for i := range 10_000 {
		fmt.Fprintf(&shared, "Disallow: /shared-%d\n", i)
	}
	for _, token := range tokens {
		fmt.Fprintf(&shared, "User-agent: %s\nDisallow: /only/%s\n", token, token)
	}
	r := Compile([]byte(shared.String()), "OwnBot", tokens...)
	rules := 0
	for i := range r.sets {
		rules += r.sets[i].len()
	}
	if got, want := rules, 10_000+len(tokens); got != want {
		t.Errorf("%d rules kept, want %d: each once", got, want)
	}
	for path, want := range map[string]bool{"/shared-77": false, "/only/" + tokens[149]: false, "/only/nobody": true} {
		if got := r.Match(path).Allowed; got != want {
			t.Errorf("Match(%q).Allowed = %v, want %v", path, got, want)
		}
	}

	groups := repeatTo(parsingLimit, func(i int) string {
		return "User-agent: " + tokens[i%150] + "\nUser-agent: " + tokens[i*i%149] + "\nDisallow: /" + word(i, 3, "abcdefghijklmnopqrstuvwxyz") + "\n"
	})
	r = Compile([]byte(groups), "OwnBot", tokens...)
	if got, most := r.bytes(), 8*len(groups); got > most {
		t.Errorf("a file of %d octets takes %d, want %d at most", len(groups), got, most)
	}
	if r.Match("/aaa").Allowed {
		t.Errorf("Match(/aaa) is allowed")
	}
}

func TestTheParsingLimit(t *testing.T) {
	line := "Disallow: /last"
	for _, tt := range []struct {
		name    string
		body    string
		limit   int
		allowed bool
	}{
		{"the rule ends right at the limit", padTo(parsingLimit-len(line)) + line, parsingLimit, false},
		{"and more follows", padTo(parsingLimit-len(line)) + line + "\nDisallow: /x\n", parsingLimit, false},
		{"the limit cuts the rule", padTo(parsingLimit-len(line)+1) + line, parsingLimit, true},
		{"the rule is behind the limit", padTo(parsingLimit) + line, parsingLimit, true},
		{"a larger limit", padTo(parsingLimit) + line, 2 * parsingLimit, false},
	} {
		if got := compileWithin(tt.limit, []byte(tt.body), "FooBot", nil).Match("/last").Allowed; got != tt.allowed {
			t.Errorf("%s: Match(/last).Allowed = %v, want %v", tt.name, got, tt.allowed)
		}
	}
	cut := padTo(parsingLimit-len(line)-1) + line + "/but/not/all/of/it\n" // half a path would be another rule
	if got := Compile([]byte(cut), "FooBot").Match("/last").Allowed; !got {
		t.Errorf("a rule cut by the limit counts: Match(/last).Allowed = %v, want true", got)
	}
}

// padTo is the beginning of a file: an agent line for "*" and comments up to n octets.
func padTo(n int) string {
	const start = "User-agent: *\n"
	return start + strings.Repeat("#", n-len(start)-1) + "\n"
}

func TestValuesThatGrobotstxtChangesAreReadAsTheyStand(t *testing.T) {
	long := strings.Repeat("k", parserLine)
	for _, tt := range []struct {
		name, body, path string
		allowed          bool
	}{
		{"garbled escape", "User-agent: *\nDisallow: /a%3cd", "/a%3Cd", false},
		{"garbled escape beside raw UTF-8", "User-agent: *\nDisallow: /a%2Fb/é", "/a%2Fb/%C3%A9", false},
		{"garbled escape of an allow", "User-agent: *\nDisallow: /\nAllow: /a%3cd", "/a%3Cd", true},
		{"no-break space in a rule", "User-agent: *\nDisallow: /bar\u00A0", "/bars", true},
		{"no-break space behind *", "User-agent: *\xA0\nDisallow: /", "/", true},
		{"a rule longer than a line that grobotstxt reads", "User-agent: *\nDisallow: /" + long + "/end", "/" + long + "/fin", true},
		{"a rule longer than a line that grobotstxt reads", "User-agent: *\nDisallow: /" + long + "/end", "/" + long + "/end", false},
		{"a path behind many blanks", "User-agent: *\nDisallow:" + strings.Repeat(" ", parserLine) + "/bar", "/bar", false},
		{"a name behind many blanks", strings.Repeat(" ", parserLine) + "User-agent: *\nDisallow: /bar", "/bar", false},
		{"the last line is long", "User-agent: *\nDisallow: /x\n" + strings.Repeat(" ", parserLine) + "Disallow: /bar", "/bar", false},
		{"a long comment", "User-agent: *\n#" + long + "\nDisallow: /bar", "/bar", false},
	} {
		if got := Compile([]byte(tt.body), "FooBot").Match(tt.path).Allowed; got != tt.allowed {
			t.Errorf("%s: Match(%.40q).Allowed = %v, want %v", tt.name, tt.path, got, tt.allowed)
		}
	}
}

// Values are stretches of the body; what is kept of them must not keep the body.
func TestCompileKeepsNoPartOfTheBody(t *testing.T) {
	body := []byte("User-agent: *\nDisallow: /é\nAllow: /a*b$\nSitemap: https://h.example/s.xml\nContent-Signal: ai-train=no\n")
	r := Compile(body, "FooBot")
	for i := range body {
		body[i] = 'x'
	}
	want := Match{Line: 2, Rule: "disallow: /é"}
	if got := r.Match("/é"); got != want {
		t.Errorf("Match(/é) after the body was overwritten = %+v, want %+v", got, want)
	}
	if got, want := r.Sitemaps()[0], "https://h.example/s.xml"; got != want {
		t.Errorf("Sitemaps()[0] = %q, want %q", got, want)
	}
}
