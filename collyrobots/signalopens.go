package collyrobots

import (
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// Opens is when the site lets a hop in by its Visit-time: now itself if the hours are open or nothing is known of any. It is false if they never
// are, as where two crawlers that are obeyed have hours that do not meet. It reads memory only and allocates nothing. A robots.txt may be asked
// for at any hour: how else would one learn of them.
func (r layer) Opens(h *chain.Hop, now time.Time) (time.Time, bool) {
	if h.IsRobots() || isRobotsURL(h.URL()) {
		return now, true
	}
	o, err := h.Origin()
	if err != nil {
		return now, true
	}
	s := r.cache.peek(o)
	if s == nil {
		return now, true
	}
	if st := s.state.Load(); st != nil && st.copy != nil {
		if rules := st.copy.known(r.crawlerOf(h.ProductToken(), h.Header()).token); rules != nil {
			return rules.hours().Next(now)
		}
	}
	return now, true
}
