package killswitch

import (
	"sync/atomic"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// landing waits for the hops that a stop ended before their headers came: once they are down, nothing of them is sent any more.
type landing struct {
	left atomic.Int64
	down chan struct{}
}

func (l *landing) done() {
	if l != nil && l.left.Add(-1) == 0 {
		close(l.down)
	}
}

// end ends the hops that a rule of ix covers, each once: with the action Stop all of them, with Drain those that were not handed over yet, whatever they
// wait for. spared is a hop that may come to its end. Whoever is woken competes with us
// for the processor, so all of them are found first, and bodies that are being read, on which a site's bytes still flow, are ended before those who wait.
// What is returned waits for those that may still be sending.
func (f *flights) end(ix *index, by chain.Layer, spared *chain.Hop) *landing {
	l := &landing{down: make(chan struct{})}
	l.left.Store(1)
	var reading, waiting []ending
	for i := range f.shards {
		s := &f.shards[i]
		s.mu.Lock()
		for fl := s.first; fl != nil; fl = fl.next {
			h := fl.hop
			if fl.ended || h == spared {
				continue
			}
			e := ix.findBoth(h.URL(), h.Dialled())
			if e == nil || !(e.rule.Action == Stop || e.rule.Action == Drain && fl.start.IsZero()) {
				continue
			}
			fl.ended = true
			if fl.answered {
				reading = append(reading, ending{h, e})
			} else {
				waiting = append(waiting, ending{h, e})
				l.left.Add(1)
				fl.landing = l
			}
		}
		s.mu.Unlock()
	}
	for _, x := range reading {
		x.end(by)
	}
	for _, x := range waiting {
		x.end(by)
	}
	l.done()
	return l
}

// ending is a hop that a rule ends.
type ending struct {
	hop  *chain.Hop
	rule *entry
}

func (x ending) end(by chain.Layer) {
	x.rule.cancelled.Add(1)
	err := newError(x.rule, x.hop.URL(), x.hop.Method())
	err.Ended = true
	x.hop.End(by, err)
}
