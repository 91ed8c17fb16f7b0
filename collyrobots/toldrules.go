package collyrobots

import (
	"cmp"
	"slices"
	"sync/atomic"
	"unsafe"
)

// toldRules keeps what the rules that were told last look like to people: the same few rules are told again and again, and
// so cost nothing more. It is safe for concurrent use.
type toldRules struct {
	slots atomic.Pointer[[]atomic.Pointer[toldRule]] // nil before the first rule is told
}

// mostTold is how many rules of one set are kept at most.
const mostTold = 256

type toldRule struct {
	rule uint32
	text string
}

// shown is rule i for people.
func (s *ruleSet) shown(i uint32) string {
	slots := s.told.slots.Load()
	if slots == nil {
		made := make([]atomic.Pointer[toldRule], min(s.len(), mostTold))
		s.told.slots.CompareAndSwap(nil, &made)
		slots = s.told.slots.Load()
	}
	slot := &(*slots)[int(i)%len(*slots)]
	if t := slot.Load(); t != nil && t.rule == i {
		return t.text
	}
	t := &toldRule{i, s.render(i)}
	slot.Store(t)
	return t.text
}

// render writes rule i: its path as it stands in the file if that is kept, else in normal form.
func (s *ruleSet) render(i uint32) string {
	path := s.pattern(i)
	if at, ok := slices.BinarySearchFunc(s.raw, i, func(r rawRule, rule uint32) int { return cmp.Compare(r.rule, rule) }); ok {
		path = s.raw[at].path.of(s.rawText)
	}
	if s.allows(i) {
		return "allow: " + path
	}
	return "disallow: " + path
}

// bytes is about what is kept by now.
func (t *toldRules) bytes() int {
	slots := t.slots.Load()
	if slots == nil {
		return 0
	}
	n := 0
	for i := range *slots {
		n += int(unsafe.Sizeof((*slots)[i]))
		if told := (*slots)[i].Load(); told != nil {
			n += int(unsafe.Sizeof(*told)) + len(told.text)
		}
	}
	return n
}
