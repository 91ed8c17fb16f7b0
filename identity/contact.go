package identity

import (
	"net/url"
	"strings"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// contact is one way to reach the crawler's owner, as it stands in a User-Agent. The shapes in use are "+https://host/path" and the same
// without plus, "mailto:a@host", "a@host" and "+a@host". Telephone numbers and handles are none.
type contact struct {
	text        string // without plus and "mailto:"
	host        string // host key; "" where it is no host at all
	url         bool   // else an email address
	insecure    bool   // a URL with http: the page could be anybody's
	library     bool   // the home of a library or tool
	reserved    bool   // see isReserved
	placeholder string // what was to be filled in
}

// own reports whether somebody can be reached by it.
func (c contact) own() bool {
	return c.host != "" && !c.insecure && !c.library && !c.reserved && c.placeholder == ""
}

// Contacts lists the ways to reach somebody that a User-Agent names, usable or not: https and http URLs and email addresses, in order, without
// "+" and "mailto:". [Check] says which of them are of use. It is pure.
func Contacts(userAgent string) []string {
	var texts []string
	for _, c := range contactsOf(userAgent) {
		texts = append(texts, c.text)
	}
	return texts
}

func contactsOf(ua string) []contact {
	var found []contact
	for _, word := range strings.FieldsFunc(ua, endsContact) {
		c, ok := urlContact(word)
		if !ok {
			c, ok = mailContact(word)
		}
		if ok {
			found = append(found, c)
		}
	}
	return found
}

func endsContact(r rune) bool {
	return r <= ' ' || r == 0x7f || strings.ContainsRune(`();,<>"{}|`, r)
}

func urlContact(word string) (contact, bool) {
	folded := strings.ToLower(word)
	at := strings.Index(folded, "https://")
	insecure := false
	if at < 0 {
		at, insecure = strings.Index(folded, "http://"), true
	}
	if at < 0 || len(folded) != len(word) {
		return contact{}, false
	}
	text := strings.TrimRight(word[at:], ".'")
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return contact{}, false
	}
	c := contact{text: text, url: true, insecure: insecure}
	c.judge(u.Host)
	c.library = isLibraryHome(c.host, u.Path)
	return c, c.host != ""
}

func mailContact(word string) (contact, bool) {
	at := strings.LastIndexByte(word, '@')
	if at < 0 {
		return contact{}, false
	}
	start := at
	for start > 0 && isLocal(word[start-1]) {
		start--
	}
	local := strings.TrimLeft(word[start:at], "+.")
	domain := domainOf(word[at+1:])
	if local == "" || domain == "" {
		return contact{}, false
	}
	c := contact{text: local + "@" + domain}
	c.judge(domain)
	if c.placeholder == "" && isPlaceholderLocal(local) {
		c.placeholder = c.text
	}
	return c, c.host != ""
}

// judge fills in what the host says of a contact.
func (c *contact) judge(host string) {
	key, err := origin.HostKeyOf(host)
	if err != nil {
		return
	}
	c.host, c.reserved = key, isReserved(key)
	if c.placeholder = placeholderHost(key); c.placeholder == "" {
		c.placeholder = findPlaceholder(c.text)
	}
}

// isLocal holds for what may stand before the "@" of an address, but for "/", "=" and "?", which rather end what is before it ("contact=a@host").
func isLocal(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c >= 0x80:
		return true
	}
	return strings.IndexByte(".!#$%&'*+-^_`~", c) >= 0
}

// domainOf is the domain that s begins with: a name, or an address in brackets.
func domainOf(s string) string {
	if strings.HasPrefix(s, "[") {
		if i := strings.IndexByte(s, ']'); i > 0 {
			return strings.TrimPrefix(s[1:i], "IPv6:") // RFC 5321, 4.1.3
		}
		return ""
	}
	end := 0
	for end < len(s) && (isLocal(s[end]) && strings.IndexByte("!#$%&'*+^`~", s[end]) < 0) {
		end++
	}
	return strings.TrimRight(s[:end], ".-")
}
