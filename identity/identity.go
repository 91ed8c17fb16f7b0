package identity

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync/atomic"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/token"
)

// Identity is who a crawler is. Make it with [New] or [Attach]. It never changes, is safe for concurrent use, and serves any number of
// collectors and clients.
type Identity struct {
	options     Options
	own         *declaration
	hosts       map[string]*declaration // by host key; nil: all hosts get own
	token       string
	from        string
	layer       *layer
	overwritten atomic.Int64
}

// declaration is what goes out to a host.
type declaration struct {
	userAgent string
	unreal    *Problem // keeps it from going out into the world; nil: nothing does

	browserLike bool
	reason      string                 // why it is browser-like
	seen        atomic.Pointer[string] // the User-Agent of the last page, for its robots.txt
}

// New makes an identity. It fails with an *InvalidError if the identity must not go out. Placeholders and reserved names only warn, in
// o.Logger: see the package's comment. It does not touch the network.
func New(o Options) (*Identity, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	ua, field := o.UserAgent, "Options.UserAgent"
	if ua == "" && o.hasParts() {
		var err error
		if ua, err = build(&o); err != nil {
			return nil, err
		}
		field = "User-Agent built from Options"
	}
	problems := Check(ua, o.Product)
	if fatal(problems) {
		return nil, invalid(field, ua, problems...)
	}
	from, err := o.from(ua)
	if err != nil {
		return nil, err
	}
	if p := o.Require.unmet(ua, from); p != nil {
		return nil, invalid(field, ua, *p)
	}
	for _, p := range mailboxProblems(from) {
		if !slices.ContainsFunc(problems, func(q Problem) bool { return q.Code == p.Code }) {
			problems = append(problems, p)
		}
	}
	id := &Identity{options: o, from: from, token: o.Product, own: &declaration{userAgent: ua, unreal: unreal(problems)}}
	if id.token == "" {
		id.token, _ = token.FromUserAgent(ua)
	}
	id.layer = newLayer(id)
	if err := id.addHosts(); err != nil {
		return nil, err
	}
	id.warn(ua, problems)
	return id, nil
}

// check looks at what excludes each other.
func (o *Options) check() error {
	switch {
	case o.Mode > Refuse:
		return fmt.Errorf("identity: Options.Mode %d is neither Overwrite nor Refuse", o.Mode)
	case o.Form > Compatible:
		return fmt.Errorf("identity: Options.Form %d is neither Plain nor Compatible", o.Form)
	case o.Require > BothContacts:
		return fmt.Errorf("identity: Options.Require %d is not known", o.Require)
	case o.Refusals > RefusalsError:
		return fmt.Errorf("identity: Options.Refusals %d is not known", o.Refusals)
	case o.NoFrom && o.From != "":
		return errors.New("identity: Options.NoFrom and Options.From exclude each other")
	case o.UserAgent != "" && (o.Version != "" || o.ContactURL != "" || o.ContactEmail != "" || o.Form != Plain || o.Suffix != nil):
		return errors.New("identity: Options.UserAgent is the whole header: leave out Version, ContactURL, ContactEmail, Form and Suffix, " +
			"and give an address for the From field as Options.From")
	}
	return nil
}

func (o *Options) hasParts() bool {
	return o.Product != "" || o.Version != "" || o.ContactURL != "" || o.ContactEmail != ""
}

// from is the From field for a User-Agent, or "".
func (o *Options) from(ua string) (string, error) {
	switch {
	case o.NoFrom:
		return "", nil
	case o.From != "":
		address, problem := mailbox(o.From)
		if problem != nil {
			return "", invalid("Options.From", o.From, *problem)
		}
		return address, nil
	}
	for _, c := range contactsOf(ua) {
		if c.url {
			continue
		}
		if address, problem := mailbox(c.text); problem == nil {
			return address, nil
		}
	}
	return "", nil
}

// warn logs what New lets through.
func (id *Identity) warn(ua string, problems []Problem) {
	for _, p := range problems {
		text := "identity: " + p.Text
		if p.Weight() == RefusedOnTheWire {
			text += "; until then, requests go to loopback and to names under .test, .example, .invalid and .localhost only"
		}
		if p.Code != CodeNoContact {
			id.layer.Log().Warn(text, "code", p.Code, "user_agent", ua)
		}
	}
}

// UserAgent is the declared User-Agent, never empty. Hosts in Options.PerHost get theirs.
func (id *Identity) UserAgent() string { return id.own.userAgent }

// ProductToken is the name by which a robots.txt addresses the crawler (RFC 9309, 2.2.1), never empty, the same for every host.
func (id *Identity) ProductToken() string { return id.token }

// From is the From field that is sent (RFC 9110, 10.1.2), or "" for none.
func (id *Identity) From() string { return id.from }

// UserAgentFor is the User-Agent that is declared for u's host. For a host in Options.BrowserLike the program may send another.
func (id *Identity) UserAgentFor(u *url.URL) string { return id.declared(u).userAgent }

// Overwritten is how many requests came with a User-Agent or From that was not the declared one and went out under the declared one.
func (id *Identity) Overwritten() int64 { return id.overwritten.Load() }

// Close does nothing: an identity holds nothing that must be let go of. It exists so that all parts are closed alike, may be called twice, and is
// always nil.
func (id *Identity) Close() error { return nil }

var _ chain.Tokener = (*layer)(nil)
