package identity

// Require is which contacts an identity must name at least.
type Require uint8

const (
	// AnyContact: an https page or an email address in the User-Agent.
	AnyContact Require = iota
	// URLContact: an https page in the User-Agent.
	URLContact
	// EmailContact: an email address, in the User-Agent or as From. Most logs do not keep From, so the User-Agent needs some contact as well.
	EmailContact
	// BothContacts: both.
	BothContacts
)

// unmet is what is missing from a User-Agent and a From field, or nil. A contact that is there to be replaced counts.
func (r Require) unmet(ua, from string) *Problem {
	page, mail := false, from != ""
	for _, c := range contactsOf(ua) {
		if c.library {
			continue
		}
		page = page || c.url
		mail = mail || !c.url
	}
	switch {
	case (r == URLContact || r == BothContacts) && !page:
		return &Problem{CodeNoContact, "Options.Require asks for the https page about the crawler"}
	case (r == EmailContact || r == BothContacts) && !mail:
		return &Problem{CodeNoContact, "Options.Require asks for an email address"}
	}
	return nil
}
