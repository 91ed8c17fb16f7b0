package collyrobots

import (
	"strings"
	"testing"
)

func TestRecordNamesAreComparedWhole(t *testing.T) {
	for _, tt := range []struct {
		name string
		want recordKind
	}{
		{"user-agent", agentRecord},
		{"USER-AGENT", agentRecord},
		{"User Agent", agentRecord},
		{"useragent", agentRecord},
		{"Allow", allowRecord},
		{"Disallow", disallowRecord},
		{"Dissallow", disallowRecord},
		{"disalow", disallowRecord},
		{"Sitemap", sitemapRecord},
		{"Site-map", sitemapRecord},
		{"Crawl-Delay", delayRecord},
		{"user-agents", unknownRecord},
		{"User-agent-policy", unknownRecord},
		{"disallow-ai", unknownRecord},
		{"disallowed", unknownRecord},
		{"allow-list", unknownRecord},
		{"alow", unknownRecord},
		{"diallow", unknownRecord},
		{"crawl delay", unknownRecord},
		{"di\u017Fallow", unknownRecord}, // the long s folds to s in Unicode, not in ASCII
		{"", unknownRecord},
		{strings.Repeat("disallow", 1000), unknownRecord},
	} {
		if got := recordKindOf(tt.name); got != tt.want {
			t.Errorf("recordKindOf(%.40q) = %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestKeptRecordsKnowTheirNames(t *testing.T) {
	for _, name := range keptNames {
		kind := recordKindOf(strings.ToUpper(name))
		if got := kind.String(); kind < firstKeptRecord || got != name {
			t.Errorf("recordKindOf(%q) = %d, named %q", strings.ToUpper(name), kind, got)
		}
	}
	if got := disallowRecord.String(); got != "" {
		t.Errorf("disallowRecord.String() = %q, want none: it is no kept record", got)
	}
}

func TestRecordsThatOnlyBeginLikeARule(t *testing.T) {
	for _, tt := range []struct {
		body, path string
		want       bool
	}{
		{"User-agent: *\nDisallow-ai: /k\n", "/k", true},
		{"User-agent: *\nDisallowed: /k\n", "/k", true},
		{"User-agent: *\nDisallow: /k\nAllow-list: /k/a\n", "/k/a", false},
		{"User-agent: *\nDisallow: /a\nUser-agents: FooBot\nDisallow: /k\n", "/k", false}, // nor do they end the group
		{"User-agent: *\nDisallow: /a\nUser-agent-policy: FooBot\nDisallow: /k\n", "/k", false},
	} {
		if got := Compile([]byte(tt.body), "BarBot").Match(tt.path).Allowed; got != tt.want {
			t.Errorf("Compile(%q).Match(%q).Allowed = %v, want %v", tt.body, tt.path, got, tt.want)
		}
	}
}
