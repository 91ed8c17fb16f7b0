package identity

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// mailbox reads what goes into the From field: exactly one address at a name with a dot (RFC 9110, 10.1.2; addr-spec of RFC 5322 as mail is
// sent today, so a dot-atom and no quoted text). A domain in another script comes back as ASCII. Package net/mail also takes a
// display name, a name without a dot and an address in brackets; a person who wants to answer gets nothing from those.
func mailbox(s string) (string, *Problem) {
	bad := func(why string) (string, *Problem) {
		return "", &Problem{CodeBadFrom, fmt.Sprintf("%q %s: give one address such as crawl@acme.dev", short(s), why)}
	}
	local, domain, ok := strings.Cut(s, "@")
	if !ok {
		return bad("has no @")
	}
	if why := localFault(local); why != "" {
		return bad(why)
	}
	if strings.ContainsAny(domain, "@ \t\r\n:,;<>()[]") {
		return bad("is not exactly one mailbox")
	}
	key, err := origin.HostKeyOf(domain)
	if err != nil {
		return bad("has a domain that no mail can go to")
	}
	if _, err := netip.ParseAddr(key); err == nil || !strings.Contains(key, ".") {
		return bad("has no domain name with a dot")
	}
	if !isASCII(domain) {
		domain = key
	}
	if len(local)+1+len(domain) > 254 { // RFC 5321, 4.5.3.1.3, without the angle brackets
		return bad("is too long")
	}
	return local + "@" + strings.TrimSuffix(domain, "."), nil
}

func localFault(local string) string {
	if local == "" || len(local) > 64 { // RFC 5321, 4.5.3.1.1
		return "has not 1 to 64 letters before the @"
	}
	if local[0] == '.' || local[len(local)-1] == '.' || strings.Contains(local, "..") {
		return "has a dot in the wrong place"
	}
	for i := range len(local) {
		if !isAlnum(rune(local[i])) && strings.IndexByte(".!#$%&'*+-/=?^_`{|}~", local[i]) < 0 {
			return "is not exactly one mailbox"
		}
	}
	return ""
}

// mailboxProblems are the placeholder and reserved names in a mailbox.
func mailboxProblems(address string) []Problem {
	if address == "" {
		return nil
	}
	r := &reading{ua: address, contacts: contactsOf(address)}
	var found []Problem
	if text := placeholders(r); text != "" {
		found = append(found, Problem{CodePlaceholder, text})
	}
	if text := reservedContacts(r); text != "" {
		found = append(found, Problem{CodeReserved, text})
	}
	return found
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
