package throttle

import (
	"slices"

	"github.com/collyetiquette/etiquette/report"
)

// keepHours notes the window of a host on a port. A host on several ports is open when all of theirs are.
func (h *host) keepHours(w *window) {
	if w == nil || h.more != nil && slices.Contains(h.more.windows, w) {
		return
	}
	m := h.extra()
	m.windows = append(m.windows, w)
}

// shutUntil is when the host opens; zero: it is open.
func (m *more) shutUntil() (at int64) {
	for _, w := range m.windows {
		at = max(at, w.shutUntil())
	}
	return at
}

// holdUnasked is the hold of a host that nobody asked yet, so that its window is not noted.
func (t *Throttle) holdUnasked(key string, port uint16, now int64) (report.Reason, int64) {
	if w := matchHours(t.windows, key, port); w != nil {
		if at := w.shutUntil(); at-now > int64(t.maxBlockWait) {
			return report.OutsideHours, at
		}
	}
	return "", 0
}
