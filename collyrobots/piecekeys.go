package collyrobots

import (
	"math/bits"
	"unsafe"
)

// pieceKeys is a set of short texts, its keys, that finds those which stand at a place in a string, by their gram.
type pieceKeys struct {
	keys  []stretch // in order
	above []uint32  // see linkPrefixes
	slots []keySlot // a hash table of grams
	shift uint8     // 32 minus the width of its hash
	short [2]uint64 // a bit for each octet that keys of fewer than four octets begin with; keys are ASCII
}

// keySlot says which keys have a gram: those from lo to hi. A free slot has none.
type keySlot struct {
	gram   gram
	lo, hi uint32
}

// newPieceKeys makes the set of keys, which must be different stretches of text, in order, none of them empty.
func newPieceKeys(text string, keys []stretch) pieceKeys {
	width := max(1, bits.Len(uint(len(keys)+len(keys)/2))) // at most two thirds of the slots are used
	k := pieceKeys{
		keys:  keys,
		above: linkPrefixes(len(keys), func(i uint32) string { return keys[i].of(text) }),
		slots: make([]keySlot, 1<<width),
		shift: uint8(32 - width),
	}
	for i := range uint32(len(keys)) {
		key := keys[i].of(text)
		g := gramOf(key)
		if slot := k.slot(g); slot.hi == 0 {
			*slot = keySlot{g, i, i + 1}
		} else {
			slot.hi = i + 1 // keys with the same gram follow each other
		}
		if len(key) < 4 {
			k.short[key[0]>>6&1] |= 1 << (key[0] & 63)
		}
	}
	return k
}

// slot returns the slot of gram g, or the free one that it would take.
func (k *pieceKeys) slot(g gram) *keySlot {
	for at := g.hash() >> (k.shift & 31); ; at++ {
		slot := &k.slots[at&uint32(len(k.slots)-1)]
		if slot.hi == 0 || slot.gram == g {
			return slot
		}
	}
}

// at returns how many keys s begins with, and puts them into found. There is at most one of each length.
func (k *pieceKeys) at(text, s string, found *[window]uint32) int {
	n := 0
	g := gramOf(s)
	if len(s) >= 4 {
		slot := k.slot(g)
		i, common := k.lastNotBehind(text, s, slot)
		for i > slot.lo { // shorter keys have grams of their own
			if length := int(k.keys[i-1].end - k.keys[i-1].at); length <= common {
				found[n] = i - 1
				n++
			}
			i = k.above[i-1]
		}
	}
	if k.short[s[0]>>6&1]>>(s[0]&63)&1 == 0 {
		return n
	}
	for length := min(len(s), 3); length > 0; length-- {
		g &= 1<<(8*length) - 1
		if slot := k.slot(g); slot.hi != 0 { // the gram is the key
			found[n] = slot.lo
			n++
		}
	}
	return n
}

// lastNotBehind returns 1 + the last key in slot that is not behind s, and how many octets it has in common with s; 0 if there
// is none. The first four octets of the keys are those of s.
func (k *pieceKeys) lastNotBehind(text, s string, slot *keySlot) (key uint32, common int) {
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
	slot := k.slot(gramOf(key))
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
	return cap(k.keys)*int(unsafe.Sizeof(stretch{})) + 4*cap(k.above) + cap(k.slots)*int(unsafe.Sizeof(keySlot{}))
}
