// Package chain is the only code that knows how a Collector is wired.
//
// Colly offers an extension two kinds of place. Callbacks miss redirect hops and clones; the client's transport is thrown away by
// WithTransport, SetClient and SetProxyFunc. The chain uses both, with three devices that need nothing but public API:
//
//   - the dead context: Attach replaces c.Context by one that has already ended (with [ErrBypassed]). net/http sends nothing on an
//     ended context, so whatever does not come through the chain fails closed. Clones copy the context and are covered.
//   - the front transport: an *http.Transport whose registered protocols lead into the chain. Colly's later SetProxyFunc only sets
//     fields on it, and the chain honours them.
//   - admission: an OnRequest callback that aborts what is already known to be refused, before Colly's page cache and LimitRules.
//
// One request on the wire is a [Hop]; a redirect is a new hop. Each hop passes the attached layers in the order of [Kind], whatever
// the order in which they were attached:
//
//	kill switch -> identity -> robots -> throttle -> attempt -> base transport
//
// A layer that refuses returns an error that is a report.Refusal; it reaches Visit and OnError with its type. The chain remembers it, so that
// a scraper that retries in OnError without a bound neither spins nor reaches the server.
package chain
