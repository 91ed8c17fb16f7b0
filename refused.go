package etiquette

import (
	"errors"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/report"
)

// ErrBypassed is the error of a request that did not come through the pack and was therefore not sent: the collector's transport, client or Context
// was replaced after Attach, or the clone is older than Attach. It matches context.Canceled too. The text says what would help.
var ErrBypassed = chain.ErrBypassed

// Refused finds in the error of a Visit, or in what OnError is given, the refusal of any part of the pack, and returns its skip. It is false for
// requests that were sent and failed, and for nil. It is safe for concurrent use.
func Refused(err error) (report.Skip, bool) {
	var r report.Refusal
	if !errors.As(err, &r) {
		return report.Skip{}, false
	}
	return r.Skip(), true
}
