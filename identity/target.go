package identity

import (
	"net/url"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// Permits says whether requests to u may go out under this identity as far as its contact goes. A non-nil error is an *[Error]: the contact is
// a placeholder or at a reserved name, and u is neither loopback nor a name that cannot exist in the world (RFC 2606, RFC 6761). It does no I/O.
func (id *Identity) Permits(u *url.URL) error {
	if u == nil {
		u = &url.URL{}
	}
	if p := id.unreachable(u, u); p != nil {
		return refusal(u, *p)
	}
	return nil
}

// unreachable is why a request must not go out into the world, or nil: the declared contact is none, and the Host that is sent or the name that is dialled may be
// somebody's.
func (id *Identity) unreachable(sent, dialled *url.URL) *Problem {
	if d := id.declared(sent); d.unreal != nil && !(harmless(sent) && harmless(dialled)) {
		return d.unreal
	}
	return nil
}

// harmless reports whether nobody else can be bothered at u: with a Host that is unknown to us, doubt is a no.
func harmless(u *url.URL) bool {
	return origin.IsLoopback(u.Host) || origin.SpecialUse(u.Host)
}

func refusal(u *url.URL, p Problem) *Error {
	host, _ := origin.HostKey(u)
	return &Error{URL: u.Redacted(), Host: host, Problem: p}
}
