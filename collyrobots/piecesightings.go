package collyrobots

import (
	"strings"
	"sync"
)

// sightings says where in a string the keys of an index stand.
//
// A file made to be slow has thousands of rules whose pieces all stand in the path, in an order that does not match. One
// search of the path for each of them adds up: so the path is read once, and where each key stands first and last is
// taken down. This decides nearly every step of every rule without a search.
type sightings struct {
	first, last []int32  // per key of the index; first is -1 for one that does not stand there
	seen        []uint32 // the keys that do
}

var sightingsPool = sync.Pool{New: func() any { return new(sightings) }}

// bestOfMany is best for lists with many rules that a path comes near to.
func (x *pieceIndex) bestOfMany(s *ruleSet, rest string, v verdict) verdict {
	w := sightingsPool.Get().(*sightings)
	defer sightingsPool.Put(w)
	w.look(x, s.text, rest)
	for _, key := range w.seen {
		for _, i := range x.under(key) {
			r := s.rules[i].rank
			if r <= v.rank {
				break
			}
			if w.matchTail(x, s, s.tail(int(i)), rest) {
				v = verdict{s, int(i), r}
				break
			}
		}
	}
	return v
}

// look reads rest once.
func (w *sightings) look(x *pieceIndex, text, rest string) {
	count := len(x.filed) - 1
	if cap(w.first) < count {
		w.first, w.last = make([]int32, count), make([]int32, count)
	}
	w.first, w.last, w.seen = w.first[:count], w.last[:count], w.seen[:0]
	for i := range w.first {
		w.first[i] = -1
	}
	for i := x.grams.next(rest, 0); i < len(rest); i = x.grams.next(rest, i+1) {
		for c := x.at(rest[i:]); x.next(text, &c); {
			if w.first[c.key] < 0 {
				w.first[c.key] = int32(i)
				w.seen = append(w.seen, c.key)
			}
			w.last[c.key] = int32(i)
		}
	}
}

// matchTail is pattern.MatchTail with the help of what was seen.
func (w *sightings) matchTail(x *pieceIndex, s *ruleSet, tail, rest string) bool {
	at := 0
	for tail = tail[1:]; ; {
		piece, more, found := strings.Cut(tail, "*")
		if !found {
			if literal, ends := strings.CutSuffix(piece, "$"); ends {
				return strings.HasSuffix(rest[at:], literal)
			}
			_, ok := w.find(x, s.text, piece, rest, at)
			return ok
		}
		var ok bool
		if at, ok = w.find(x, s.text, piece, rest, at); !ok {
			return false
		}
		tail = more
	}
}

// find returns where the first place of piece at or behind at ends; false if there is none.
func (w *sightings) find(x *pieceIndex, text, piece, rest string, at int) (int, bool) {
	begin := piece[:min(len(piece), window)]
	if key, ok := x.keyOf(text, begin); ok {
		first, last := int(w.first[key]), int(w.last[key])
		switch {
		case first < 0 || last < at:
			return 0, false
		case first >= at && len(begin) == len(piece):
			return first + len(piece), true
		}
		at = max(at, first)
	}
	i := strings.Index(rest[at:], piece)
	return at + i + len(piece), i >= 0
}

// keyOf returns the key that is piece; false if there is none.
func (x *pieceIndex) keyOf(text, piece string) (key uint32, ok bool) {
	if piece == "" {
		return 0, false
	}
	for c := x.at(piece); x.next(text, &c); {
		if c.rest == "" {
			return c.key, true
		}
	}
	return 0, false
}
