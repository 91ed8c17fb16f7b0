package identity

import (
	"errors"
	"net/http"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// Attach makes c say who it is: every request of c and of its clones carries userAgent, and the From field if userAgent holds an email
// address. It sets c.UserAgent, and From in a copy of c.Headers.
//
// It fails with an *[InvalidError] if userAgent must not go out; a collector without an identity then sends nothing, and each Visit says
// why. Placeholders and reserved names only warn. A second Attach with the same userAgent returns the first Identity, one with
// another is an error, and the first stays in force. It does not touch the network and must not run while c has requests under way.
func Attach(c *colly.Collector, userAgent string) (*Identity, error) {
	id, err := New(Options{UserAgent: userAgent})
	if err != nil {
		return nil, chain.Fail(c, chain.Identity, err)
	}
	return id.attach(c)
}

// Attach is the function Attach for an identity that was made with New. Any number of collectors may have the same one.
func (id *Identity) Attach(c *colly.Collector) error {
	_, err := id.attach(c)
	return err
}

// attach returns the identity that is in force: an equal one that was attached before, or id.
func (id *Identity) attach(c *colly.Collector) (*Identity, error) {
	_, err := chain.Attach(c, id.options.chainConfig(), id.layer)
	var taken *chain.TakenError
	if errors.As(err, &taken) {
		if first, ok := taken.Layer.(*layer); ok && first.id != id && first.id.options.equal(&id.options) {
			return first.id.attach(c)
		}
	}
	if err != nil {
		return nil, err
	}
	c.UserAgent = id.UserAgent()
	id.setFrom(c)
	return id, nil
}

// setFrom lets Colly itself write the From field, which is cheaper than to change the header of each request on its way. The user's map is
// not written to, since it may be shared.
func (id *Identity) setFrom(c *colly.Collector) {
	if id.from == "" {
		return
	}
	headers := make(http.Header)
	if c.Headers != nil {
		headers = c.Headers.Clone()
	}
	headers.Set(fromKey, id.from)
	c.Headers = &headers
}

// Transport is the identity for a plain http.Client: each request that goes to next, redirects included, carries the declared headers. Nil
// means Options.Base, or the pack's own transport.
func (id *Identity) Transport(next http.RoundTripper) http.RoundTripper {
	return chain.Transport(next, id.options.chainConfig(), id.layer)
}
