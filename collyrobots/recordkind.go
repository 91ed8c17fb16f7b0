package collyrobots

import "github.com/collyetiquette/etiquette/internal/token"

// recordKind is what a line of a robots.txt speaks of. Names are compared whole, without regard to ASCII case: a record
// whose name only begins like a rule, "Disallow-ai", is another record (RFC 9309, 2.2.4).
type recordKind uint8

const (
	unknownRecord recordKind = iota
	agentRecord
	allowRecord
	disallowRecord
	sitemapRecord
	delayRecord
	firstKeptRecord // this kind and all behind it are kept as they stand, for later use
)

// keptNames are the records that are kept besides rules, sitemaps and crawl delay.
var keptNames = []string{
	"content-usage", "content-signal", "license", "request-rate", "visit-time", "noindex", "nofollow", "noarchive",
	"host", "clean-param", "domain", "revisit-after",
}

// recordKinds holds the names of RFC 9309 and the misspellings that grobotstxt accepts.
var recordKinds = func() map[string]recordKind {
	kinds := map[string]recordKind{
		"user-agent": agentRecord, "useragent": agentRecord, "user agent": agentRecord,
		"allow":    allowRecord,
		"disallow": disallowRecord, "dissallow": disallowRecord, "dissalow": disallowRecord, "disalow": disallowRecord,
		"diaslow": disallowRecord, "diasllow": disallowRecord, "disallaw": disallowRecord,
		"sitemap": sitemapRecord, "site-map": sitemapRecord,
		"crawl-delay": delayRecord,
	}
	for i, name := range keptNames {
		kinds[name] = firstKeptRecord + recordKind(i)
	}
	return kinds
}()

func recordKindOf(name string) recordKind {
	var folded [16]byte
	if len(name) > len(folded) {
		return unknownRecord
	}
	return recordKinds[string(token.AppendFold(folded[:0], name))]
}

// String is the name of a kept record. A crawl delay is kept if it cannot be read.
func (k recordKind) String() string {
	switch {
	case k == delayRecord:
		return "crawl-delay"
	case k < firstKeptRecord:
		return ""
	}
	return keptNames[k-firstKeptRecord]
}

// ofWholeSite reports whether records of this kind speak of the whole site, whatever group they stand in.
func (k recordKind) ofWholeSite() bool {
	switch k.String() {
	case "license", "host", "clean-param", "domain":
		return true
	}
	return false
}
