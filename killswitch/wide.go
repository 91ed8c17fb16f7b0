package killswitch

import (
	"fmt"
	"net/netip"

	"golang.org/x/net/publicsuffix"
)

// tooWide says that a rule stops a whole public suffix, under which names of many owners stand: "com", "co.uk", "github.io"; nil: it does not. Such a rule is in
// force all the same, since to refuse a stop is worse than a wide one, but somebody should look at it.
func tooWide(r Rule) error {
	if r.Domain == "" {
		return nil
	}
	if _, err := netip.ParseAddr(r.Domain); err == nil {
		return nil
	}
	suffix, _ := publicsuffix.PublicSuffix(r.Domain)
	if suffix != r.Domain {
		return nil
	}
	return fmt.Errorf("rule %s stops every site under %q, a public suffix: was one of them meant?", r.ID, r.Domain)
}

// lookHowWide raises an alarm for each rule that is too wide.
func (s *Switch) lookHowWide(es ...*entry) {
	for _, e := range es {
		if err := tooWide(e.rule); err != nil {
			s.alarm("rule "+e.rule.ID, err)
		}
	}
}
