package identity

import (
	"slices"
	"strings"
)

// placeholderHosts stand for "your domain" in other people's tutorials. They match whole labels: "www.company.com", not "mycompany.com".
var placeholderHosts = []string{"domain.com", "company.com", "website.com", "mysite.com", "mywebsite.com"}

// placeholderLabels are those that are placeholders in any name or address, folded and without "-" and "_".
var placeholderLabels = []string{"yourdomain", "yoursite", "mydomain", "changeme", "replaceme", "fillmein"}

// placeholderWords are ordinary words that only in capitals ask to be replaced: todo.dev may be a real name.
var placeholderWords = []string{"YOUR", "CHANGEME", "TODO", "TBD", "FIXME", "REPLACE", "INSERT"}

// yourThings follow "your" in a label that was to be filled in, as in "your-company".
var yourThings = []string{
	"app", "bot", "botname", "company", "contact", "crawler", "domain", "email", "host", "mail", "name", "org", "organisation", "organization",
	"page", "project", "server", "site", "url", "username", "website",
}

func placeholderHost(key string) string {
	for _, name := range placeholderHosts {
		if within(key, name) {
			return key
		}
	}
	return ""
}

// findPlaceholder is the first thing in s that was to be filled in, or "".
func findPlaceholder(s string) string {
	for _, find := range []func(string) string{bracketed, unfilledVerb, variable, capitalWord, placeholderLabel} {
		if found := find(s); found != "" {
			return found
		}
	}
	return ""
}

// bracketed finds <…> and {…}. An address or URL in angle brackets is written so on purpose (RFC 5322, 3.4; RFC 3986, C).
func bracketed(s string) string {
	for _, pair := range []string{"<>", "{}"} {
		for rest := s; ; {
			open := strings.IndexByte(rest, pair[0])
			if open < 0 {
				break
			}
			rest = rest[open:]
			end := strings.IndexByte(rest, pair[1])
			if end < 0 {
				break
			}
			if inside := rest[1:end]; pair != "<>" || len(contactsOf(inside)) == 0 {
				return rest[:end+1]
			}
			rest = rest[end:]
		}
	}
	return ""
}

// unfilledVerb finds what package fmt leaves of a format without its value. None of them is a percent-encoding.
func unfilledVerb(s string) string {
	for _, verb := range []string{"%!", "%s", "%v", "%q"} {
		if strings.Contains(s, verb) {
			return verb
		}
	}
	return ""
}

// variables are how templates mark what is to be filled in: what stands before a name in capitals, and behind it.
var variables = []struct{ before, behind string }{{"@", "@"}, {"%", "%"}, {"__", "__"}, {"[", "]"}, {"$", ""}}

// variable finds a name of a template that was not filled in, such as "@CONTACT@" or "$EMAIL".
func variable(s string) string {
	isName := func(c byte) bool { return 'A' <= c && c <= 'Z' || c == '_' || c == ' ' }
	for _, v := range variables {
		for rest := s; ; {
			at := strings.Index(rest, v.before)
			if at < 0 {
				break
			}
			rest = rest[at+len(v.before):]
			n := 0
			for n < len(rest) && isName(rest[n]) {
				n++
			}
			name := strings.Trim(rest[:n], "_ ")
			behind := rest[len(strings.TrimRight(rest[:n], "_ ")):]
			if v.before == "%" && len(name) > 1 && isHex(name[0]) && isHex(name[1]) { // a percent-encoding
				continue
			}
			if len(name) > 2 && strings.HasPrefix(behind, v.behind) {
				return v.before + name + v.behind
			}
		}
	}
	return ""
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'A' <= c && c <= 'F' }

// isPlaceholderLocal judges what stands before the "@" of an address, where a full stop joins words: "your.name".
func isPlaceholderLocal(local string) bool {
	local = strings.ReplaceAll(strings.ToLower(local), ".", "-")
	return local == "you" || local == "foo" || isPlaceholderLabel(local)
}

func capitalWord(s string) string {
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return !isAlnum(r) }) {
		if slices.Contains(placeholderWords, word) {
			return word
		}
	}
	return ""
}

// placeholderLabel looks at labels: what stands between dots, slashes, spaces and the like.
func placeholderLabel(s string) string {
	isLabel := func(c byte) bool { return isAlnum(rune(c)) || c == '-' || c == '_' }
	for i := 0; i < len(s); {
		if !isLabel(s[i]) {
			i++
			continue
		}
		start := i
		for i < len(s) && isLabel(s[i]) {
			i++
		}
		label := s[start:i]
		topLevel := start > 0 && s[start-1] == '.' && (i == len(s) || s[i] != '.')
		if isPlaceholderLabel(label) || isAllX(label) && !topLevel { // .xxx is a real top-level domain
			return label
		}
	}
	return ""
}

func isPlaceholderLabel(label string) bool {
	label = strings.ToLower(label)
	if strings.HasPrefix(label, "your_") {
		return true
	}
	words := strings.FieldsFunc(label, func(r rune) bool { return r == '-' || r == '_' })
	joined := strings.Join(words, "")
	if slices.Contains(placeholderLabels, joined) {
		return true
	}
	if thing, ok := strings.CutPrefix(joined, "your"); ok {
		for _, tail := range []string{"", "here", "name", "address", "url"} {
			if t, ok := strings.CutSuffix(thing, tail); ok && slices.Contains(yourThings, t) {
				return true
			}
		}
	}
	return len(words) > 1 && isRequest(words)
}

// isRequest holds for labels that ask to be replaced: "enter-a-contact", "replace-me", "insert-email-here".
func isRequest(words []string) bool {
	switch words[0] {
	case "enter", "insert":
		if words[1] == "a" || words[1] == "an" {
			return true
		}
	case "replace", "change", "put", "add":
	default:
		return false
	}
	return slices.Contains([]string{"your", "me", "this", "with"}, words[1]) || words[len(words)-1] == "here"
}

func isAllX(label string) bool {
	return len(label) >= 3 && strings.Trim(label, "xX") == ""
}

func isAlnum(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}
