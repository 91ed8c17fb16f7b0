package identity

import "strings"

// Problem is one thing that is wrong with an identity.
type Problem struct {
	Code string // one of the Code constants
	Text string // one sentence for people: what is wrong, and what would help
}

// The codes. The list is closed: a program may switch over it.
const (
	CodeEmpty          = "empty"            // no User-Agent, or white space only
	CodeSyntax         = "syntax"           // control characters, non-ASCII, unbalanced brackets, more than 256 bytes
	CodeTokenInvalid   = "token-invalid"    // the product token is not 3 to 64 of A-Z, a-z, "_" and "-" (RFC 9309, 2.2.1)
	CodeTokenMissing   = "token-missing"    // the product token is not in the User-Agent as a whole product
	CodeLibrary        = "library-default"  // the name of a library or tool, not of a crawler
	CodeBrowser        = "browser"          // a browser's name without both our token and a contact
	CodeImpersonation  = "impersonation"    // the product token of somebody else's crawler (RFC 9110, 10.1.5)
	CodeNotYourContact = "not-your-contact" // the only contact is the home page of a library
	CodeBadFrom        = "bad-from"         // not exactly one mailbox (RFC 9110, 10.1.2)
	CodeNoContact      = "no-contact"       // nobody can be reached
	CodePlaceholder    = "placeholder"      // something that was to be filled in
	CodeReserved       = "reserved-domain"  // a contact at a name that belongs to nobody (RFC 2606, RFC 6761), or at an address
	CodeGrammar        = "grammar"          // not of the form that RFC 9110, 10.1.5 asks for
	CodeTokenStump     = "token-stump"      // rules that are meant for another crawler will be read as ours
	CodeMismatch       = "mismatch"         // on the wire only: a header is not the declared one
)

// Weight is what a problem leads to.
type Weight uint8

const (
	// Warns: it is logged and nothing else.
	Warns Weight = iota
	// RefusedOnTheWire: New and Attach warn, and requests go to loopback and to names that cannot exist only.
	RefusedOnTheWire
	// RefusedAtOnce: New and Attach fail.
	RefusedAtOnce
)

// Weight says what the problem leads to. CodeNoContact is RefusedAtOnce only as long as no contact was found that is a placeholder or
// reserved: such a one is there to be replaced.
func (p Problem) Weight() Weight {
	switch p.Code {
	case CodeGrammar, CodeTokenStump:
		return Warns
	case CodePlaceholder, CodeReserved:
		return RefusedOnTheWire
	}
	return RefusedAtOnce
}

// fatal reports whether New must refuse an identity with these problems.
func fatal(ps []Problem) bool {
	noContact := false
	for _, p := range ps {
		switch {
		case p.Code == CodeNoContact:
			noContact = true
		case p.Weight() == RefusedAtOnce:
			return true
		}
	}
	return noContact && unreal(ps) == nil
}

// unreal is the first problem that keeps an identity from going out into the world, or nil.
func unreal(ps []Problem) *Problem {
	for i := range ps {
		if ps[i].Weight() == RefusedOnTheWire {
			return &ps[i]
		}
	}
	return nil
}

// without returns ps but for the problems of one code.
func without(ps []Problem, code string) []Problem {
	var rest []Problem
	for _, p := range ps {
		if p.Code != code {
			rest = append(rest, p)
		}
	}
	return rest
}

// describe puts problems into one line, "code: text; code: text".
func describe(ps []Problem) string {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(p.Code + ": " + p.Text)
	}
	return b.String()
}
