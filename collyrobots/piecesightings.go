package collyrobots

import (
	"strings"
	"sync"
)

// sightings says where in a path the keys of an index stand.
type sightings struct {
	first, last []int32  // per key of the index; first is -1 for one that does not stand there
	seen        []uint32 // the keys that do
}

var sightingsPool = sync.Pool{New: func() any { return new(sightings) }}

// best is the better of v and the best rule of the index that matches path.
func (x *pieceIndex) best(s *ruleSet, path string, v verdict) verdict {
	w := sightingsPool.Get().(*sightings)
	defer sightingsPool.Put(w)
	w.look(x, s.text, path)
	for _, key := range w.seen {
		for _, rule := range x.under(key) {
			r := s.rank(rule)
			if r <= v.rank {
				break
			}
			if w.matches(x, s.text, s.pattern(rule), path) {
				v = verdict{s, rule, r}
				break
			}
		}
	}
	return v
}

// look reads path once.
func (w *sightings) look(x *pieceIndex, text, path string) {
	count := len(x.filed) - 1
	if cap(w.first) < count {
		w.first, w.last = make([]int32, count), make([]int32, count)
	}
	w.first, w.last, w.seen = w.first[:count], w.last[:count], w.seen[:0]
	for i := range w.first {
		w.first[i] = -1
	}
	var keys [window]uint32
	for i := x.filter.next(path, 0); i < len(path); i = x.filter.next(path, i+1) {
		for _, key := range keys[:x.at(text, path[i:], &keys)] {
			if w.first[key] < 0 {
				w.first[key] = int32(i)
				w.seen = append(w.seen, key)
			}
			w.last[key] = int32(i)
		}
	}
}

// matches is pattern.MatchText with the help of what was seen, for a pattern that is not plain.
func (w *sightings) matches(x *pieceIndex, text, pattern, path string) bool {
	at := literalLen(pattern)
	if !strings.HasPrefix(path, pattern[:at]) {
		return false
	}
	for rest := pattern[at+1:]; ; {
		piece, more, found := strings.Cut(rest, "*")
		if !found {
			if literal, ends := strings.CutSuffix(piece, "$"); ends {
				return strings.HasSuffix(path[at:], literal)
			}
			_, ok := w.find(x, text, piece, path, at)
			return ok
		}
		var ok bool
		if at, ok = w.find(x, text, piece, path, at); !ok {
			return false
		}
		rest = more
	}
}

// find returns where the first place of piece at or behind at ends; false if there is none.
func (w *sightings) find(x *pieceIndex, text, piece, path string, at int) (int, bool) {
	for from := 0; from < len(piece); from += window {
		to := min(from+window, len(piece))
		from := max(0, to-window)
		key, ok := x.number(text, piece[from:to])
		if !ok {
			continue
		}
		first, last := int(w.first[key])-from, int(w.last[key])-from // where the piece would begin
		switch {
		case w.first[key] < 0 || last < at:
			return 0, false
		case first >= at && to-from == len(piece):
			return first + len(piece), true
		}
		at = max(at, first)
	}
	if at > len(path) {
		return 0, false
	}
	i := strings.Index(path[at:], piece)
	return at + i + len(piece), i >= 0
}
