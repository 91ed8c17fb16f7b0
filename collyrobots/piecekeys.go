package collyrobots

import "unsafe"

// pieceKeys is a set of short texts, its keys, that finds those which stand at a place in a string.
type pieceKeys struct {
	keys  []stretch // in order
	above []uint32  // see linkPrefixes
	table gramTable // of what keys begin with
}

// newPieceKeys makes the set of keys, which must be different stretches of text, in order, none of them empty.
func newPieceKeys(text string, keys []stretch) pieceKeys {
	k := pieceKeys{
		keys:  keys,
		above: linkPrefixes(len(keys), func(i uint32) string { return keys[i].of(text) }),
		table: newGramTable(len(keys)),
	}
	for i := range uint32(len(keys)) {
		k.table.add(gramOf(keys[i].of(text)), i)
	}
	return k
}

// at returns how many keys s begins with, and puts them into found. There is at most one of each length.
func (k *pieceKeys) at(text, s string, found *[window]uint32) int {
	n := 0
	g, short := gramOf(s), min(len(s), 3)
	if len(s) >= 4 {
		slot := k.table.slot(g)
		i, common := k.lastNotBehind(text, s, slot)
		for i > slot.lo { // shorter keys have grams of their own
			if length := int(k.keys[i-1].end - k.keys[i-1].at); length <= common {
				found[n] = i - 1
				n++
			}
			i = k.above[i-1]
		}
	}
	for ; short > 0; short-- {
		if slot := k.table.slot(g.shorten(short)); slot.hi != 0 { // the gram is the key
			found[n] = slot.lo
			n++
		}
	}
	return n
}

// lastNotBehind returns 1 + the last key in slot that is not behind s, and how many octets it has in common with s; 0 if there
// is none. The first four octets of the keys are those of s.
func (k *pieceKeys) lastNotBehind(text, s string, slot *gramSlot) (key uint32, common int) {
	lo, hi := slot.lo, slot.hi // keys below lo are not behind s, those from hi on are
	for lo < hi {
		mid := (lo + hi) / 2
		if ok, n := notBehind(k.keys[mid].of(text), s, 4); ok {
			lo, key, common = mid+1, mid+1, n
		} else {
			hi = mid
		}
	}
	return key, common
}

// number returns the number of a key; false if it is none.
func (k *pieceKeys) number(text, key string) (uint32, bool) {
	if key == "" {
		return 0, false
	}
	slot := k.table.slot(gramOf(key))
	if len(key) < 4 {
		return slot.lo, slot.hi != 0
	}
	i, common := k.lastNotBehind(text, key, slot)
	if i == 0 || common != len(key) || int(k.keys[i-1].end-k.keys[i-1].at) != len(key) {
		return 0, false
	}
	return i - 1, true
}

func (k *pieceKeys) bytes() int {
	return cap(k.keys)*int(unsafe.Sizeof(stretch{})) + 4*cap(k.above) + k.table.bytes()
}
