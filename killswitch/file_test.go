package killswitch

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

func TestAValidFile(t *testing.T) {
	f := parseFile([]byte(`{"version": 1, "generation": 42, "updated_by": "oncall@acme.example", "rules": [
	  {"id": "a", "domain": "Shop.example", "action": "stop", "reason": "asked", "ticket": "OPS-1", "created": "2026-11-30T09:12:00Z"},
	  {"id": "b", "host": "wiki.example", "path": "/search", "until": "2026-12-07T01:00:00+01:00", "reason": "busy"},
	  {"id": "c", "host": "files.example", "scheme": "https", "port": 8443, "action": "drain", "reason": "x", "all": false},
	  {"id": "d", "all": true, "action": "observe", "reason": "x"}]}`))
	if !f.valid() || f.lost {
		t.Fatalf("problems %q, lost %v, want none", f.problems, f.lost)
	}
	var got []string
	for _, r := range f.rules {
		got = append(got, fmt.Sprintf("%s %s %s", r.ID, r.Action, r.Scope()))
	}
	want := []string{"a stop domain shop.example", "b stop host wiki.example, path /search", "c drain host files.example, https, port 8443",
		"d observe every host"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("rules: -want +got\n%s", d)
	}
	if f.generation != 42 || f.rules[1].Until.Format("2006-01-02T15:04Z") != "2026-12-07T00:00Z" {
		t.Errorf("generation %d, until %s", f.generation, f.rules[1].Until)
	}
}

func TestAFileWithAMistakeStopsWhatCanBeReadAndIsInvalid(t *testing.T) {
	rules := func(s string) string { return `{"version": 1, "rules": [` + s + `]}` }
	for _, x := range []struct {
		name, text string
		want       string // scopes
		lost       bool
	}{
		{"no reason", rules(`{"id": "a", "host": "a.example"}`), "host a.example", false},
		{"no id", rules(`{"host": "a.example", "reason": "x"}`), "host a.example", false},
		{"unusable id", rules(`{"id": "a/b", "host": "a.example", "reason": "x"}`), "host a.example", false},
		{"unknown field", rules(`{"id": "a", "host": "a.example", "reason": "x", "hots": "b"}`), "host a.example", false},
		{"an object as unknown field", rules(`{"id": "a", "host": "a.example", "reason": "x", "meta": {"host": "b.example"}}`), "host a.example", false},
		{"misspelt scope", rules(`{"id": "a", "hots": "a.example", "reason": "x"}`), "", true},
		{"the bad rule takes no good one along", rules(`{"id": "a", "hots": "a.example"}, {"id": "b", "host": "b.example", "reason": "x"}`), "host b.example", true},
		{"two scopes", rules(`{"id": "a", "host": "a.example", "domain": "b.example", "reason": "x"}`), "host a.example; domain b.example", false},
		{"one scope twice", rules(`{"id": "a", "host": "a.example", "host": "b.example", "reason": "x"}`), "host a.example; host b.example", false},
		{"a field in capitals", rules(`{"id": "a", "Host": "a.example", "reason": "x"}`), "host a.example", false},
		{"a list of names", rules(`{"id": "a", "host": ["a.example", "b.example"], "reason": "x"}`), "host a.example; host b.example", false},
		{"a URL as host", rules(`{"id": "a", "host": "https://a.example/x", "reason": "x"}`), "host a.example", false},
		{"a port in the host widens", rules(`{"id": "a", "host": "a.example:8080", "reason": "x"}`), "host a.example", false},
		{"a star in front", rules(`{"id": "a", "host": "*.a.example", "reason": "x"}`), "domain a.example", false},
		{"a dot in front", rules(`{"id": "a", "domain": ".a.example", "reason": "x"}`), "domain a.example", false},
		{"port as text widens", rules(`{"id": "a", "host": "a.example", "port": "80", "reason": "x"}`), "host a.example", false},
		{"port out of range widens", rules(`{"id": "a", "host": "a.example", "port": 99999, "reason": "x"}`), "host a.example", false},
		{"an unusable path widens", rules(`{"id": "a", "host": "a.example", "path": "search", "reason": "x"}`), "host a.example", false},
		{"an unknown scheme widens", rules(`{"id": "a", "host": "a.example", "scheme": "ftp", "reason": "x"}`), "host a.example", false},
		{"until without zone has no end", rules(`{"id": "a", "host": "a.example", "until": "2020-01-01T00:00:00", "reason": "x"}`), "host a.example", false},
		{"until as a duration has no end", rules(`{"id": "a", "host": "a.example", "until": "72h", "reason": "x"}`), "host a.example", false},
		{"all as text", rules(`{"id": "a", "all": "true", "reason": "x"}`), "every host", false},
		{"all as a number", rules(`{"id": "a", "all": 1, "reason": "x"}`), "", true},
		{"an empty host", rules(`{"id": "a", "host": "", "reason": "x"}`), "", true},
		{"an id twice", rules(`{"id": "a", "host": "a.example", "reason": "x"}, {"id": "a", "host": "b.example", "reason": "x"}`), "host a.example; host b.example", false},
		{"null", rules(`null`), "", true},
		{"no version", `{"rules": [{"id": "a", "host": "a.example", "reason": "x"}]}`, "host a.example", false},
		{"another version", `{"version": 2, "rules": [{"id": "a", "host": "a.example", "reason": "x"}]}`, "host a.example", false},
		{"unknown field at the top", `{"version": 1, "note": "x", "rules": []}`, "", false},
		{"no rules", `{"version": 1}`, "", true},
		{"Rules", `{"version": 1, "Rules": [{"id": "a", "host": "a.example", "reason": "x"}]}`, "host a.example", false},
		{"rules twice", `{"version": 1, "rules": [{"id": "a", "host": "a.example", "reason": "x"}], "rules": []}`, "host a.example", false},
		{"rules as an object", `{"version": 1, "rules": {"id": "a", "host": "a.example", "reason": "x"}}`, "host a.example", true},
		{"empty", "", "", true},
		{"blank", " \n", "", true},
		{"a comma too many in a rule", rules(`{"id": "a", "host": "a.example", "reason": "x",}`), "host a.example", true},
		{"no comma in a rule", rules(`{"id": "a" "host": "a.example" "reason": "x"}`), "host a.example", true},
		{"a comma too many and one that is right", rules(`{"id": "a", "host": "a.example", "reason": "x",}, {"id": "b", "domain": "b.example", "reason": "x"}`), "host a.example; domain b.example", true},
		{"a comma too many keeps what narrows", rules(`{"id": "a", "host": "a.example", "path": "/x", "reason": "x",}`), "host a.example, path /x", true},
		{"a comment in a rule", rules("{\"id\": \"a\", // the shop\n\"host\": \"a.example\", # really\n \"reason\": \"x\"}"), "host a.example", true},
		{"a value that is none", rules(`{"id": "a", "host": "a.example", "path": oops, "reason": "x"}`), "host a.example", true},
		{"a number that is none", rules(`{"id": "a", "host": "a.example", "port": 08080, "reason": "x"}`), "host a.example", true},
		{"a tab in a text", rules("{\"id\": \"a\", \"host\": \"a.example\", \"reason\": \"a\tb\"}"), "host a.example", true},
		{"a list of names in a rule with a mistake", rules(`{"id": "a", "host": ["a.example", "b.example"], "reason": "x",}`), "host a.example; host b.example", true},
		{"what is within a rule with a mistake is none", rules(`{"id": "a", "meta": {"x": "host", "domain": 1}, "host": "a.example",}`), "host a.example", true},
		{"comments around rules", "// stops\n" + rules("\n# one\n{\"id\": \"a\", \"host\": \"a.example\", \"reason\": \"x\"}\n"), "host a.example", true},
		{"UTF-16 as Windows writes it", utf16le(fileOf(1, "a.example")), "host a.example", false},
		{"UTF-16 the other way round", utf16be(fileOf(1, "a.example")), "host a.example", false},
		{"UTF-8 behind the mark of UTF-16", "\xfe\xff" + fileOf(1, "a.example"), "host a.example", true},
		{"UTF-8 added to UTF-16", utf16le(emptyFile) + "\n" + fileOf(1, "a.example"), "host a.example", true},
		{"a path behind the name", rules(`{"id": "a", "host": "a.example/search", "reason": "x"}`), "host a.example", false},
		{"a port and a path behind the name", rules(`{"id": "a", "host": "a.example:8080/search?q", "reason": "x"}`), "host a.example", false},
		{"userinfo before the name", rules(`{"id": "a", "host": "u:p@a.example", "reason": "x"}`), "host a.example", false},
		{"a URL with userinfo", rules(`{"id": "a", "domain": "https://u:p@a.example:8443/x", "reason": "x"}`), "domain a.example", false},
		{"spaces around the name", rules(`{"id": "a", "host": " a.example\t", "reason": "x"}`), "host a.example", false},
		{"a star is every host", rules(`{"id": "a", "host": "*", "reason": "x"}`), "every host", false},
		{"a star within a name", rules(`{"id": "a", "host": "a.*.example", "reason": "x"}`), "", true},
		{"a network", rules(`{"id": "a", "host": "192.0.2.0/24", "reason": "x"}`), "", true},
		{"a network, IPv6", rules(`{"id": "a", "host": "2001:db8::/32", "reason": "x"}`), "", true},
		{"a path twice widens", rules(`{"id": "a", "host": "a.example", "path": "/a", "path": "/b", "reason": "x"}`), "host a.example", false},
		{"a path three times widens", rules(`{"id": "a", "host": "a.example", "path": "/a", "Path": "/b", "path": "/c", "reason": "x"}`), "host a.example", false},
		{"a port twice widens", rules(`{"id": "a", "host": "a.example", "port": 80, "port": 8080, "reason": "x"}`), "host a.example", false},
		{"a scheme twice widens", rules(`{"id": "a", "host": "a.example", "scheme": "http", "scheme": "https", "reason": "x"}`), "host a.example", false},
		{"an end twice has none", rules(`{"id": "a", "host": "a.example", "until": "2020-01-01T00:00:00Z", "until": "2020-01-02T00:00:00Z", "reason": "x"}`), "host a.example", false},
		{"an action twice is a stop", rules(`{"id": "a", "host": "a.example", "action": "observe", "action": "observe", "reason": "x"}`), "host a.example", false},
		{"all and a host", rules(`{"id": "a", "all": true, "host": "a.example", "reason": "x"}`), "every host; host a.example", false},
		{"a reason without end", rules(`{"id": "a", "host": "a.example", "reason": "` + strings.Repeat("x", 1<<20) + `"}`), "host a.example", false},
		{"a path without end", rules(`{"id": "a", "host": "a.example", "reason": "x", "path": "/` + strings.Repeat("x", 1<<20) + `"}`), "host a.example", false},
		{"nothing but brackets", strings.Repeat("[", 100_000) + strings.Repeat("{", 100_000), "", true},
		{"a list at the top", `[{"id": "a", "host": "a.example", "reason": "x"}]`, "host a.example", true},
		{"cut between rules", `{"version": 1, "rules": [{"id": "a", "host": "a.example", "reason": "x"},`, "host a.example", true},
		{"cut in a rule", `{"version": 1, "rules": [{"id": "a", "host": "a.example", "reason": "x"}, {"id": "b", "host": "b.exa`, "host a.example", true},
		{"no comma between rules", rules("{\"id\": \"a\", \"host\": \"a.example\", \"reason\": \"x\"}\n{\"id\": \"b\", \"host\": \"b.example\", \"reason\": \"x\"}"),
			"host a.example; host b.example", true},
		{"a comma too many", rules(`{"id": "a", "host": "a.example", "reason": "x"},`), "host a.example", true},
		{"a quotation mark missing spoils its line", rules("{\"id\": \"a, \"host\": \"a.example\", \"reason\": \"x\"},\n{\"id\": \"b\", \"host\": \"b.example\", \"reason\": \"x\"}"),
			"host b.example", true},
		{"something behind", fileOf(1, "a.example") + "x", "host a.example", true},
		{"two files in one", fileOf(1, "a.example") + fileOf(2, "b.example"), "host a.example; host b.example", true},
	} {
		t.Run(x.name, func(t *testing.T) {
			f := parseFile([]byte(x.text))
			var got []string
			for _, r := range f.rules {
				got = append(got, r.Scope())
				if r.Action != Stop || !r.Until.IsZero() {
					t.Errorf("rule %+v, want a stop without end", r)
				}
			}
			if d := cmp.Diff(x.want, strings.Join(got, "; ")); d != "" {
				t.Errorf("scopes: -want +got\n%s", d)
			}
			if f.valid() || f.lost != x.lost {
				t.Errorf("valid %v (%q), lost %v, want false and %v", f.valid(), f.problems, f.lost, x.lost)
			}
		})
	}
}

func utf16le(text string) string { return utf16Text(binary.LittleEndian, text) }
func utf16be(text string) string { return utf16Text(binary.BigEndian, text) }

func utf16Text(order binary.AppendByteOrder, text string) string {
	b := order.AppendUint16(nil, 0xfeff)
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

func TestAByteOrderMarkIsNoMistake(t *testing.T) {
	if f := parseFile([]byte("\xef\xbb\xbf" + fileOf(1, "a.example"))); !f.valid() {
		t.Errorf("problems %q, want none", f.problems)
	}
}

// Each prefix of a valid file is invalid, and stops some of what the whole file stops.
func TestNoPrefixOfAFileIsValid(t *testing.T) {
	whole := strings.TrimRight(fileOf(7, "a.example", "b.example", "c.example"), "\n")
	all := make(map[Rule]bool)
	for _, r := range parseFile([]byte(whole)).rules {
		all[r] = true
	}
	for n := range len(whole) {
		f := parseFile([]byte(whole[:n]))
		if f.valid() {
			t.Fatalf("%q is valid", whole[:n])
		}
		for _, r := range f.rules {
			if !all[r] {
				t.Fatalf("%q has the rule %+v, which the whole file has not", whole[:n], r)
			}
		}
	}
}

func FuzzParseFile(f *testing.F) {
	for _, seed := range []string{"", emptyFile, fileOf(3, "a.example", "b.example"), `{"version":1,"rules":[{"host":["a","*.b"],"all":true,"until":"x"}]}`,
		`{"rules":[{"host":"a.example","host":"b.example"}`, "{\"a\":\"\\\"{\n}}}", `{{{{{{{{{{"host":"x"}}}}}}}}}}`, "\xfe\xff", "\xff\xfe{"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := parseFile([]byte(text))
		for _, r := range file.rules {
			if !validID(r.ID) {
				t.Errorf("rule %+v has no usable ID", r)
			}
			if again, err := r.canonical(); err != nil || again != r {
				t.Errorf("rule %+v is not canonical: %+v, %v", r, again, err)
			}
		}
		if file.valid() && file.lost {
			t.Error("a file that lost something is valid")
		}
		// One line more can add stops, never remove them, and what is salvaged of two files is what is in either.
		more := parseFile([]byte(text + "\n" + fileOf(1, "added.example")))
		if !hasHost(more, "added.example") {
			t.Errorf("with a whole file behind it, %q does not stop that file's host", text)
		}
	})
}

func hasHost(f *stopFile, host string) bool {
	for _, r := range f.rules {
		if r.Host == host {
			return true
		}
	}
	return false
}

func BenchmarkParseFile100000(b *testing.B) {
	hosts := make([]string, 100_000)
	for i := range hosts {
		hosts[i] = fmt.Sprintf("host%d.example", i)
	}
	text := []byte(fileOf(1, hosts...))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		parseFile(text)
	}
}
