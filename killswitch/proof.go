package killswitch

import (
	"strings"
	"time"
)

// proof is when the last request went out and when the last byte of an answer came.
type proof struct {
	LastRequest time.Time `json:"last_request,omitzero"`
	LastByte    time.Time `json:"last_byte,omitzero"`
	Cancelled   int64     `json:"cancelled,omitzero"`
}

// times is the last request and the last byte of the hosts that each of the rules covers. It goes through the hosts once, however many rules there are.
func (f *flights) times(es ...*entry) map[*entry]proof {
	found := make(map[*entry]proof, len(es))
	byName := make(map[string][]*entry, len(es))
	for _, e := range es {
		byName[e.name()] = append(byName[e.name()], e) // those for all hosts under ""
	}
	note := func(key string, p proof) {
		for name, whole := key, true; ; whole = false {
			for _, e := range byName[name] {
				if whole || e.rule.Host == "" {
					found[e] = found[e].later(p)
				}
			}
			if name == "" {
				return
			}
			_, name, _ = strings.Cut(name, ".")
		}
	}
	for i := range f.shards {
		s := &f.shards[i]
		s.mu.Lock()
		for key, t := range s.hosts {
			note(key, proof{LastRequest: t.lastRequest, LastByte: t.lastByte})
		}
		for fl := s.first; fl != nil; fl = fl.next {
			if fl.answered {
				note(fl.host.key, proof{LastRequest: fl.start})
			}
		}
		s.mu.Unlock()
	}
	return found
}

func (p proof) later(q proof) proof {
	if q.LastRequest.After(p.LastRequest) {
		p.LastRequest = q.LastRequest
	}
	if q.LastByte.After(p.LastByte) {
		p.LastByte = q.LastByte
	}
	p.Cancelled += q.Cancelled
	return p
}
