package etiquette

import (
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/report"
)

// ErrBypassed is the error of a request that did not come through the pack and was therefore not sent: the collector's transport, client or Context
// was replaced after Attach, or the clone is older than Attach. It matches context.Canceled too. The text says what would help.
var ErrBypassed error = chain.ErrBypassed

// Refused finds in the error of a Visit, or in what OnError is given, the refusal of any part of the pack, and returns its skip. It is false for
// requests that were sent and failed, and for nil. It is safe for concurrent use.
func Refused(err error) (report.Skip, bool) {
	var r report.Refusal
	if errors.As(err, &r) {
		return r.Skip(), true
	}
	if !errors.Is(err, ErrBypassed) {
		return report.Skip{}, false
	}
	// net/http refused to send on a context that has ended: all it knows is the method and the URL.
	s := report.Skip{Time: time.Now(), Reason: report.Bypassed, Detail: err.Error()}
	var u *url.Error
	if errors.As(err, &u) {
		s.Method, s.URL, s.Detail = strings.ToUpper(u.Op), u.URL, u.Err.Error()
	}
	return s, true
}
