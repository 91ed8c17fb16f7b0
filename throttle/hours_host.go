package throttle

import (
	"slices"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// mostLooks is how many openings in a row are tried for one at which all hours of a host are open.
const mostLooks = 64

// opening is hours of a host: a window of Options.Hours, or what the robots.txt of one of its origins says.
type opening struct {
	hours chain.Hours
	site  bool    // it is the site's word
	of    origins // whose
}

// keepHours notes the window of a host on a port. A host on several ports is open when all of theirs are.
func (h *host) keepHours(w *window) {
	if w == nil || h.more != nil && slices.ContainsFunc(h.more.openings, func(o opening) bool { return o.hours == chain.Hours(w) }) {
		return
	}
	m := h.extra()
	m.openings = append(m.openings, opening{hours: w})
}

// visit notes when an origin wants to be visited; nil: at any time. It reports whether that is news. A host is visited when all of its origins are open.
func (h *host) visit(o origins, hours chain.Hours) (news bool) {
	at := -1
	if h.more != nil {
		at = slices.IndexFunc(h.more.openings, func(x opening) bool { return x.site && x.of == o })
	}
	switch {
	case hours == nil && at < 0 || at >= 0 && h.more.openings[at].hours == hours:
		return false
	case hours == nil:
		h.more.openings = slices.Delete(h.more.openings, at, at+1)
	case at < 0:
		m := h.extra()
		m.openings = append(m.openings, opening{hours: hours, site: true, of: o})
	default:
		h.more.openings[at].hours = hours
	}
	return true
}

// shutUntil is when the host opens; zero: it is open. It goes by the wall clock: a computer that slept must not take day for night.
func (m *more) shutUntil(robots bool, now int64) int64 {
	if at := m.openFrom(robots, now, now); at > now {
		return at
	}
	return 0
}

// openFrom is the first instant from at on, which lies not before now, at which the host is open.
func (m *more) openFrom(robots bool, now, at int64) int64 {
	if len(m.openings) == 0 {
		return at
	}
	clock := time.Now().Round(0).Add(time.Duration(at - now))
	return at + int64(m.next(robots, clock).Sub(clock))
}

// next is t itself if all that counts is open then, else when it is next. A robots.txt does not wait for the site's hours: how else would one learn of
// them, and that they changed. Hours that do not meet are to be looked at again a day later.
func (m *more) next(robots bool, t time.Time) time.Time {
	for at, looks := t, 0; looks < mostLooks; looks++ {
		was := at
		for i := range m.openings {
			o := &m.openings[i]
			if o.site && robots {
				continue
			}
			var ever bool
			if at, ever = o.hours.Next(at); !ever {
				return t.Add(aDay)
			}
		}
		if at.Equal(was) {
			return at
		}
	}
	return t.Add(aDay)
}
