package etiquette

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml/token"
	"github.com/google/go-cmp/cmp"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/identity"
	"github.com/collyetiquette/etiquette/throttle"
)

const wholePolicy = `# What all our scrapers keep to.
user_agent: "TeamBot/2.0 (+https://bot.somewhere.org/about)"
identity:
  from: crawl@somewhere.org
  require: both
  mode: refuse
  per_host:
    old.somewhere.org: "TeamBot/1.0 (+https://bot.somewhere.org/about)"
pace:
  - domain_glob: "*.shop.example"
    delay: 2s
    random_delay: 500ms
  - {domain_regexp: "^own[0-9]", delay: none, parallelism: 4}
  - delay: 1m30s
throttle:
  max_block_wait: none
  domain_rate: 2.5
  retries: 1
robots:
  max_age: 12h
  cache_bytes: 128MiB
  max_body: 1MB
  after_thirty_days: last_copy
also_obey: [GPTBot, CCBot]
stop_file: stops.json
kill_switch:
  ignore_451: true
  token_file: /etc/token
state_dir: state
refusals: error
schemes: [file]
hours:
  - domain_glob: shop.example
    between: "22:00-06:00"
    days: [monday, friday]
    zone: Europe/Berlin
per_day:
  - requests: 1000
    bytes: 1.5GB
share: 2
max_requests: 10000
allow_private: true
`

func TestEveryKindOfValueIsReadIntoItsField(t *testing.T) {
	r := &policyReader{file: "p.yaml", places: noPlaces()}
	var got Policy
	r.decode(r.parse([]byte(wholePolicy)), &got)
	if len(r.errs) > 0 {
		t.Fatal(errors.Join(r.errs...))
	}
	want := Policy{
		UserAgent: "TeamBot/2.0 (+https://bot.somewhere.org/about)",
		Identity: identity.Options{From: "crawl@somewhere.org", Require: identity.BothContacts, Mode: identity.Refuse,
			PerHost: map[string]string{"old.somewhere.org": "TeamBot/1.0 (+https://bot.somewhere.org/about)"}},
		Pace: []throttle.LimitRule{
			{DomainGlob: "*.shop.example", Delay: 2 * time.Second, RandomDelay: 500 * time.Millisecond},
			{DomainRegexp: "^own[0-9]", Delay: throttle.NoDelay, Parallelism: 4},
			{Delay: 90 * time.Second},
		},
		Throttle: throttle.Options{MaxBlockWait: -1, DomainRate: 2.5, Retries: 1},
		Robots:   collyrobots.Options{MaxAge: 12 * time.Hour, CacheBytes: 128 << 20, MaxBody: 1e6, AfterThirtyDays: collyrobots.LastCopy},
		AlsoObey: []string{"GPTBot", "CCBot"}, StopFile: "stops.json", StateDir: "state", Refusals: RefusalsError, Schemes: []string{"file"},
		Hours:  []Hours{{DomainGlob: "shop.example", Between: "22:00-06:00", Days: []time.Weekday{time.Monday, time.Friday}, Zone: "Europe/Berlin"}},
		PerDay: []PerDay{{Requests: 1000, Bytes: 1500e6}},
		Share:  2, MaxRequests: 10000, AllowPrivate: true,
	}
	want.KillSwitch.Ignore451, want.KillSwitch.TokenFile = true, "/etc/token"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("policy (-want +got):\n%s", diff)
	}
}

func TestPathsInAFileAreRelativeToItsFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "etiquette.yaml")
	text := "stop_file: stops.json\nstate_dir: /var/state\nkill_switch: {token_file: secret/token}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := ReadPolicy(path)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{p.StopFile, p.StateDir, p.KillSwitch.TokenFile, p.ReportFile}
	if diff := cmp.Diff([]string{filepath.Join(dir, "stops.json"), "/var/state", filepath.Join(dir, "secret/token"), ""}, got); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}

func TestAFileMayLeaveWhoWeAreToCode(t *testing.T) {
	p, err := parsePolicy("p.yaml", []byte("# only pace\npace: [{delay: 3s}]\n"))
	if err != nil {
		t.Fatalf("ReadPolicy of a file without a name = %v", err)
	}
	if _, err := New(p); err == nil || !strings.Contains(err.Error(), "say who you are") {
		t.Errorf("New without a name = %v, want an error that asks for one", err)
	}
	p.UserAgent = "TeamBot/2.0 (+https://bot.somewhere.org/about)"
	g, err := New(p)
	if err != nil {
		t.Fatalf("New = %v", err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	for _, empty := range []string{"", "# nothing\n", "---\n"} {
		if _, err := parsePolicy("p.yaml", []byte(empty)); err != nil {
			t.Errorf("ReadPolicy of %q = %v, want the default policy", empty, err)
		}
	}
}

func TestWhatIsWrongInAFileIsToldWithItsPlace(t *testing.T) {
	for _, x := range []struct{ name, text, want string }{
		{"wrong key", "user_agent: x\npase:\n  - delay: 2s\n", `p.yaml:2:1: the key "pase" is not known: did you mean "pace"?`},
		{"wrong key in a list", "pace:\n  - domain_glob: a\n    dealy: 2s\n", `p.yaml:3:5: pace[0]: the key "dealy" is not known: did you mean "delay"?`},
		{"key of another place", "delay: 2s\n", `p.yaml:1:1: the key "delay" is not known here: it is pace[].delay`},
		{"key said elsewhere", "throttle:\n  rules: []\n", `p.yaml:2:3: throttle: the key "rules" is not known here: it is pace`},
		{"key for code alone", "base: x\n", `p.yaml:1:1: the key "base" is not known: it can only be set in code`},
		{"secret", "kill_switch:\n  token: 0123456789\n", `p.yaml:2:3: kill_switch: the key "token" is not known: a secret does not belong into this file`},
		{"key of Go", "UserAgent: x\n", `p.yaml:1:1: the key "UserAgent" is not known: did you mean "user_agent"?`},
		{"key that is nothing", "pace: [{colour: red}]\n", "here may stand domain_glob, domain_regexp, delay, random_delay, parallelism"},
		{"duplicate key", "share: 1\npace: []\nshare: 2\n", `p.yaml:3:1: the key "share" is here twice, first in line 1: keep one`},
		{"duplicate key in a list", "pace:\n- delay: 2s\n  delay: 3s\n", `p.yaml:3:3: pace[0]: the key "delay" is here twice, first in line 2: keep one`},
		{"duplicate host", "identity:\n  per_host: {a.example: x, a.example: y}\n", `p.yaml:2:28: identity.per_host: the key "a.example" is here twice`},
		{"no unit", "pace:\n  - delay: 2\n", "p.yaml:2:12: pace[0].delay: 2 has no unit: write 2s for seconds, 2m for minutes"},
		{"unit as a word", "pace: [{delay: 2 seconds}]\n", `p.yaml:1:16: pace[0].delay: "2 seconds" is no length of time: write 2s`},
		{"unit unknown", "pace: [{delay: 2parsec}]\n", `"2parsec" is no length of time: write a number with its unit, such as 500ms`},
		{"unit of another kind", "pace: [{delay: 2MB}]\n", `"2MB" is no length of time`},
		{"negative", "pace: [{delay: -2s}]\n", `"-2s" is negative`},
		{"none where something is needed", "pace: [{random_delay: none}]\n", `"none" is no length of time`},
		{"size", "robots:\n  cache_bytes: 10 megs\n", `p.yaml:2:16: robots.cache_bytes: "10 megs" is no number of bytes: write 512, or a number with its unit`},
		{"half a byte", "robots: {cache_bytes: 1.5B}\n", `"1.5B" is no whole number of bytes`},
		{"count", "share: many\n", `p.yaml:1:8: share: "many" is no whole number`},
		{"count with a fraction", "share: 1.5\n", `"1.5" is no whole number`},
		{"number", "throttle: {total: 5/s}\n", `"5/s" is no number: write one such as 4 or 0.5`},
		{"yes", "allow_private: yes\n", `p.yaml:1:16: allow_private: "yes" is neither true nor false`},
		{"number as text", "identity:\n  version: 1.10\n", `p.yaml:2:12: identity.version: 1.10 is no text in YAML: write it in quotes, "1.10"`},
		{"word", "refusals: errors\n", `p.yaml:1:11: refusals: "errors" is not known: did you mean "error"?`},
		{"word that is nothing", "identity: {form: fancy}\n", `"fancy" is none of compatible, plain`},
		{"weekday", "hours: [{between: 22:00-06:00, days: [mon]}]\n", `hours[0].days[0]: "mon" is not known: did you mean "monday"?`},
		{"no value", "pace:\n", "p.yaml:1:1: pace: it has no value"},
		{"list for a value", "stop_file: [a]\n", "p.yaml:1:12: stop_file: it is a list, where one value is expected"},
		{"value for a list", "also_obey: GPTBot\n", `p.yaml:1:12: also_obey: it is the value "GPTBot", where a list is expected`},
		{"group for a list", "pace: {delay: 2s}\n", "pace: it is a group of keys, where a list is expected"},
		{"value for a group", "robots: strict\n", `robots: it is the value "strict", where keys with values are expected: purpose, follow_rules, max_age`},
		{"value for hosts", "identity: {per_host: all}\n", "identity.per_host: it is the value \"all\", where a line for each host is expected"},
		{"pattern without quotes", "pace:\n  - domain_glob: *.shop.example\n", `p.yaml:2:18: pace[0].domain_glob: "*" begins an alias here: a pattern must stand in quotes, such as "*.shop.example"`},
		{"star without quotes", "pace: [{domain_glob: *}]\n", "must stand in quotes"},
		{"anchor", "pace: &p [{delay: 2s}]\n", "pace: anchors and tags (&) are not read"},
		{"tag", "share: !!int 2\n", "share: anchors and tags (!!int) are not read"},
		{"merge", "<<: {share: 2}\n", `"<<" is no key`},
		{"number as key", "1: 2\n", `p.yaml:1:1: "1" is no key`},
		{"no YAML", "a: b: c\n", "p.yaml:1:4: it cannot be read as YAML: mapping value is not allowed in this context"},
		{"tab", "pace:\n\t- delay: 2s\n", "it cannot be read as YAML"},
		{"two documents", "share: 1\n---\nshare: 2\n", `a second document begins`},
		{"directive", "%YAML 1.2\n---\nshare: 1\n", "%-directive"},
		{"list at the top", "- share: 1\n", "p.yaml:1:1: it is a list, where keys with values are expected"},
		{"text at the top", "polite\n", `it is the value "polite"`},
		{"nested too deep", "pace: " + strings.Repeat("[", 60_000), "p.yaml:1:23: it is nested too deep for a policy"},
		{"nested too deep in one line", strings.Repeat("- ", 60_000), "it is nested too deep for a policy"},
		{"too large", strings.Repeat("# polite\n", maxPolicyFile/9+1), "larger than 262144 bytes"},

		{"contact missing", "share: 1\nuser_agent: TeamBot/1.0\n", "p.yaml:2:13: user_agent: identity: Options.UserAgent"},
		{"agent and its parts", "user_agent: x\nidentity:\n  version: \"1\"\n", "identity: Options.UserAgent is the whole header: leave out Version"},
		{"from and no_from", "user_agent: TeamBot/1.0 (+https://bot.somewhere.org/about)\nidentity: {from: a@somewhere.org, no_from: true}\n", "NoFrom and Options.From exclude each other"},
		{"robots age", "robots:\n  max_age: 5m\n", "p.yaml:2:12: robots.max_age: collyrobots: Options.MaxAge 5m0s is not between 1h"},
		{"body too small", "robots: {max_body: 1KB}\n", "MaxBody 1000 is not between 512000"},
		{"token", "also_obey: [GPT/Bot]\n", `AlsoObey[0] "GPT/Bot" holds`},
		{"token in its place", "share: 1\nalso_obey: [GPTBot, GPT/Bot]\n", "p.yaml:2:21: also_obey[1]: collyrobots: Options.AlsoObey[1]"},
		{"host in two lists", "user_agent: TeamBot/1.0 (+https://bot.somewhere.org/about)\nidentity:\n  browser_like:\n    a b: x\n", "p.yaml:4:10: identity.browser_like[\"a b\"]: identity: Options.BrowserLike"},
		{"permit", "permit:\n- host: a.example\n  path: export\n", "p.yaml:3:9: permit[0].path: \"export\" matches nothing"},
		{"permit twice", "permit:\n- {host: a.example, reason: x}\n- {host: a.example, reason: y}\n", "p.yaml:3:3: permit[1]: it is for the same as permit[0]"},
		{"date", "permit: [{host: a.example, until: tomorrow}]\n", "permit[0].until: \"tomorrow\" is no date: write \"2026-12-31\""},
		{"content type", "take:\n- types: [text/html, html]\n", "p.yaml:2:22: take[0].types[1]: \"html\" is no content type"},
		{"slash in a host", "pace:\n- delay: 2s\n  domain_glob: shop.example/cart\n", `p.yaml:3:16: pace[0].domain_glob: "shop.example/cart" holds a "/"`},
		{"expression", "pace:\n- domain_regexp: \"(\"\n", `p.yaml:2:18: pace[0].domain_regexp: "("`},
		{"rule behind that for every host", "pace:\n- delay: 2s\n- domain_glob: a.example\n", "p.yaml:3:3: pace[1]: it can never count, because pace[0] comes first and is for every host: put that last"},
		{"two rules for one host", "hours:\n- {domain_glob: a, between: 22:00-06:00}\n- {domain_glob: a, between: 20:00-23:00}\n", "p.yaml:3:3: hours[1]: it is for the same hosts as hours[0], which comes first: keep one"},
		{"time of day", "hours:\n- between: 10pm-6am\n", `p.yaml:2:12: hours[0].between: "10pm" is no time of day: write hours and minutes, "06:00"`},
		{"time without an end", "hours: [{between: \"22:00\"}]\n", `"22:00" is not two times of day: write "22:00-06:00"`},
		{"no time at all", "hours: [{between: 06:00-06:00}]\n", `"06:00-06:00" is no time at all`},
		{"zone", "hours: [{between: 22:00-06:00, zone: CEST}]\n", `hours[0].zone: "CEST" is no time zone that is known here`},
		{"budget of nothing", "per_day: [{domain_glob: a}]\n", "per_day[0]: it limits nothing"},
		{"stop file is the report", "stop_file: a.json\nreport_file: a.json\n", `p.yaml:2:14: report_file: "a.json" is the stop file: name another`},
	} {
		_, err := parsePolicy("p.yaml", []byte(x.text))
		if err == nil {
			t.Errorf("%s: ReadPolicy of %q succeeded, want %q", x.name, x.text, x.want)
			continue
		}
		var first *PolicyError
		if !strings.Contains(err.Error(), x.want) || !errors.As(err, &first) {
			t.Errorf("%s: ReadPolicy of %q =\n\t%v\nwant a *PolicyError with\n\t%s", x.name, short(x.text), err, x.want)
		}
	}
}

func short(text string) string { return text[:min(len(text), 200)] }

func TestAllThatIsWrongIsToldAtOnce(t *testing.T) {
	_, err := parsePolicy("p.yaml", []byte("shore: 1\npace:\n- delay: 2\n- parallelism: x\n"))
	if err == nil {
		t.Fatal("ReadPolicy succeeded")
	}
	for _, want := range []string{"p.yaml:1:1", "p.yaml:3:10", "p.yaml:4:16"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("ReadPolicy = %v, want %s in it", err, want)
		}
	}
}

func TestAPartsOwnErrorIsFoundInAPolicyError(t *testing.T) {
	_, err := parsePolicy("p.yaml", []byte("user_agent: TeamBot/1.0\n"))
	var invalid *identity.InvalidError
	if !errors.As(err, &invalid) {
		t.Errorf("ReadPolicy = %v, want an *identity.InvalidError in it", err)
	}
}

func TestAFileThatIsNotThere(t *testing.T) {
	if _, err := ReadPolicy(filepath.Join(t.TempDir(), "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("ReadPolicy = %v, want os.ErrNotExist", err)
	}
}

func noPlaces() map[string]*token.Position { return make(map[string]*token.Position) }
