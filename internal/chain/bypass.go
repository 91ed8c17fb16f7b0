package chain

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/collyetiquette/etiquette/report"
)

// ErrBypassed is the error of a request that did not come through the chain and was therefore not sent. It matches context.Canceled too,
// because it is what the collector's dead context ends with.
var ErrBypassed error = bypassed{}

type bypassed struct{}

func (bypassed) Error() string {
	return "etiquette: not sent: the request does not come through the pack: a transport or client was set after Attach (give the transport to " +
		baseField + " instead), c.Context was replaced (use etiquette.SetContext), the clone is older than Attach (clone after it), or it is https " +
		"with Connection: Upgrade"
}

func (bypassed) Is(target error) bool { return target == context.Canceled }

// BypassError says how a request missed the chain. It matches ErrBypassed.
type BypassError struct {
	URL    string
	Method string
	Host   string
	Detail string // what happened and what would help

	cause error // what made it so, or nil
}

func (e *BypassError) Error() string { return "etiquette: " + e.URL + " not sent: " + e.Detail }

func (e *BypassError) Is(target error) bool { return target == ErrBypassed }

func (e *BypassError) Unwrap() error { return e.cause }

// Skip implements report.Refusal.
func (e *BypassError) Skip() report.Skip {
	return report.Skip{Time: time.Now(), URL: e.URL, Method: e.Method, Host: e.Host, Reason: report.Bypassed, Detail: e.Detail}
}

func newBypass(u *url.URL, method, detail string) *BypassError {
	return &BypassError{URL: u.Redacted(), Method: method, Host: hostKey(u), Detail: detail}
}

// deadContext is what a collector's Context becomes: ended from the start, so that net/http sends nothing that does not come through
// the chain, and carrying the chain that alone can revive a request. It has no deadline: one that is seen on a request comes from the client.
type deadContext struct {
	chain *Chain
	user  context.Context // what the collector's context was; the revived request follows it
	fault error           // why Attach failed; nil: it did not
	// displaced is what Attach, failing, said of a transport or proxy that was set before it. A second Attach says it again, unless
	// Base now names a transport: what the user set must not be lost in silence.
	displaced error
}

// ended is the Done channel of every dead context. It is nobody else's, so a context that was derived from a dead one is told by it.
var ended = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

func (*deadContext) Deadline() (time.Time, bool) { return time.Time{}, false }

func (*deadContext) Done() <-chan struct{} { return ended }

func (d *deadContext) Err() error {
	if d.fault != nil {
		return d.fault
	}
	return ErrBypassed
}

func (d *deadContext) Value(key any) any {
	if key == (deadKey{}) {
		return d
	}
	return d.user.Value(key)
}

type deadKey struct{}

// deadOf finds the dead context that ctx was derived from, or nil.
func deadOf(ctx context.Context) *deadContext {
	if ctx == nil {
		return nil
	}
	d, _ := ctx.Value(deadKey{}).(*deadContext)
	return d
}

// attachFault is the error of each Visit after an Attach that failed: nothing is sent, and the reason is said.
type attachFault struct{ err error }

func (f *attachFault) Error() string {
	return f.err.Error() + " (nothing is sent, because Attach failed)"
}
func (f *attachFault) Unwrap() error { return f.err }
func (f *attachFault) Is(target error) bool {
	return target == ErrBypassed || errors.Is(ErrBypassed, target)
}
