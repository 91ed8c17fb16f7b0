package identity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/collyetiquette/etiquette/internal/token"
)

const (
	maxRead  = 4096 // bytes; what is longer is no User-Agent, and what is wrong with it besides does not matter
	minToken = 3    // what is shorter is no name but a word of any text
	maxToken = 64
)

// Check lists what is wrong with a User-Agent, one Problem per code, in a fixed order. productToken is the crawler's own product token
// (RFC 9309, 2.2.1); "" takes the one that the User-Agent itself names. A token that was only taken from the User-Agent and is that of a
// well-known crawler counts as impersonation: its owner says so by giving it.
//
// Check is pure: no I/O, no state, safe for concurrent use. Not every problem keeps a crawl from starting: [Problem.Weight] says which.
func Check(userAgent, productToken string) []Problem {
	if strings.TrimSpace(userAgent) == "" {
		return []Problem{{CodeEmpty, "there is no User-Agent: give one such as " + sample}}
	}
	if len(userAgent) > maxRead {
		return []Problem{{CodeSyntax, tooLong(userAgent)}}
	}
	r := read(userAgent, productToken)
	var found []Problem
	for _, c := range checks {
		if text := c.text(r); text != "" {
			found = append(found, Problem{c.code, text})
		}
	}
	return found
}

const sample = `"AcmeBot/1.2 (+https://bot.acme.dev/crawler; mailto:crawl@acme.dev)"`

// checks are the rules in the order in which their problems are listed. Each gives the text of its problem, or "".
var checks = []struct {
	code string
	text func(*reading) string
}{
	{CodeSyntax, syntaxFault},
	{CodeTokenInvalid, invalidToken},
	{CodeTokenMissing, missingToken},
	{CodeLibrary, libraryName},
	{CodeBrowser, browserName},
	{CodeImpersonation, impersonated},
	{CodeNotYourContact, libraryContact},
	{CodePlaceholder, placeholders},
	{CodeReserved, reservedContacts},
	{CodeNoContact, noContact},
	{CodeGrammar, grammarFault},
	{CodeTokenStump, stump},
}

// reading is a User-Agent taken apart for the rules.
type reading struct {
	ua       string
	token    string // given, or derived; "": it names none
	given    bool   // the token was given
	products []product
	contacts []contact
}

func read(ua, tok string) *reading {
	r := &reading{ua: ua, token: tok, given: tok != "", products: productsOf(ua), contacts: contactsOf(ua)}
	if !r.given {
		r.token, _ = token.FromUserAgent(ua)
	}
	return r
}

// hasToken reports whether the token stands in the User-Agent as a whole product, ignoring case.
func (r *reading) hasToken() bool {
	for _, p := range r.products {
		if r.token != "" && token.Equal(p.name, r.token) {
			return true
		}
	}
	return false
}

// hasContact reports whether there is a contact, if only one to be replaced.
func (r *reading) hasContact() bool {
	for _, c := range r.contacts {
		if c.own() || c.placeholder != "" || c.reserved {
			return true
		}
	}
	return placeholders(r) != ""
}

func invalidToken(r *reading) string {
	tok := r.token
	switch {
	case tok == "":
		return ""
	case !token.Valid(tok):
		return fmt.Sprintf("the product token %q holds more than A-Z, a-z, \"_\" and \"-\": a robots.txt could address it only as %q", tok, token.Cut(tok))
	case len(tok) < minToken || len(tok) > maxToken:
		return fmt.Sprintf("the product token %q has not %d to %d letters", tok, minToken, maxToken)
	case !r.given && !r.hasToken():
		return fmt.Sprintf("the product's name holds more than A-Z, a-z, \"_\" and \"-\": a robots.txt could address it only as %q", tok)
	}
	return ""
}

func missingToken(r *reading) string {
	switch {
	case r.token == "":
		return "it names no crawler of its own: begin it with one, such as AcmeBot/1.2"
	case r.given && !r.hasToken():
		return fmt.Sprintf("the product token %q is not in it as a whole product (RFC 9309, 2.2.1)", r.token)
	}
	return ""
}

// browserMarks are what browsers' User-Agents are made of, folded.
var browserMarks = []string{"mozilla/", "chrome/", "firefox/", "safari/", "edg/", "opr/", "applewebkit/", "headlesschrome"}

func browserName(r *reading) string {
	folded := token.Fold(r.ua)
	for _, mark := range browserMarks {
		if !strings.Contains(folded, mark) {
			continue
		}
		if r.hasToken() && r.hasContact() {
			return ""
		}
		return fmt.Sprintf("it holds %q and so looks like a browser's: name the crawler and a contact, or leave the browser out", mark)
	}
	return ""
}

func libraryContact(r *reading) string {
	var homes []string
	for _, c := range r.contacts {
		if c.own() {
			return ""
		}
		if c.library {
			homes = append(homes, c.text)
		}
	}
	if homes == nil {
		return ""
	}
	return list(homes) + " is the home of a library, not a way to reach you"
}

func reservedContacts(r *reading) string {
	var names []string
	for _, c := range r.contacts {
		if c.reserved {
			names = append(names, c.host)
		}
	}
	if names == nil {
		return ""
	}
	return list(names) + " is a name or address at which nobody can be reached from outside: put in a contact of your own"
}

func placeholders(r *reading) string {
	if found := findPlaceholder(r.ua); found != "" {
		return fmt.Sprintf("%q was to be filled in: put in a contact of your own", found)
	}
	for _, c := range r.contacts {
		if c.placeholder != "" {
			return fmt.Sprintf("%q was to be filled in: put in a contact of your own", c.placeholder)
		}
	}
	return ""
}

func noContact(r *reading) string {
	insecure := ""
	for _, c := range r.contacts {
		switch {
		case c.own():
			return ""
		case c.insecure:
			insecure = c.text
		}
	}
	if insecure != "" {
		return fmt.Sprintf("%q is not https, and there is no other contact", insecure)
	}
	return "nobody can be reached: add the https page about the crawler or an email address, such as " + sample
}

// list joins what was found, each once.
func list(found []string) string {
	var quoted []string
	for i, f := range found {
		if !slices.Contains(found[:i], f) {
			quoted = append(quoted, fmt.Sprintf("%q", f))
		}
	}
	return strings.Join(quoted, ", ")
}
