package collyrobots

import (
	"math/bits"
	"unsafe"
)

// gram is the first four octets of a text as a number, the first octet lowest, or all of them if they are fewer. No octet is
// zero in a normal form, so that grams of different lengths differ.
type gram uint32

func gramOf(s string) gram {
	if len(s) >= 4 {
		return firstFour(s)
	}
	var g gram
	for i := range len(s) {
		g |= gram(s[i]) << (8 * i)
	}
	return g
}

func firstFour(s string) gram {
	return gram(s[0]) | gram(s[1])<<8 | gram(s[2])<<16 | gram(s[3])<<24
}

// shorten returns the first n octets of g, of which there are n at least.
func (g gram) shorten(n int) gram { return g & (1<<(8*n) - 1) }

// hash spreads the bits of g upwards: Fibonacci hashing.
func (g gram) hash() uint32 { return uint32(g) * 0x9E3779B1 }

// gramTable says where in a list what belongs to a gram stands. The list is sorted so that it stands together.
type gramTable struct {
	slots []gramSlot
	shift uint8 // 32 minus the width of a slot's number
}

// gramSlot is from lo to hi. A free slot has hi 0.
type gramSlot struct {
	gram   gram
	lo, hi uint32
}

// newGramTable makes a table with room for so many grams.
func newGramTable(grams int) gramTable {
	width := max(1, bits.Len(uint(grams+grams/2))) // at most two thirds of the slots are used
	return gramTable{make([]gramSlot, 1<<width), uint8(32 - width)}
}

// slot returns the slot of g, or the free one that it would take.
func (t *gramTable) slot(g gram) *gramSlot {
	for at := g.hash() >> (t.shift & 31); ; at++ {
		slot := &t.slots[at&uint32(len(t.slots)-1)]
		if slot.hi == 0 || slot.gram == g {
			return slot
		}
	}
}

// add notes that item i of the list belongs to g. Items are added in their order.
func (t *gramTable) add(g gram, i uint32) {
	if slot := t.slot(g); slot.hi == 0 {
		*slot = gramSlot{g, i, i + 1}
	} else {
		slot.hi = i + 1
	}
}

func (t *gramTable) bytes() int { return cap(t.slots) * int(unsafe.Sizeof(gramSlot{})) }

// gramFilter says where in a string one of some grams may stand. It errs on the side of "may": there is one bit for each hash
// of a gram, and for grams of fewer than four octets one for each first octet.
type gramFilter struct {
	bits  []uint64
	shift uint8     // 32 minus the width of a bit's number
	short [2]uint64 // normal forms are ASCII
}

// newGramFilter makes an empty filter with room for so many grams.
func newGramFilter(grams int) gramFilter {
	width := max(6, bits.Len(uint(96*grams))) // at least 96 bits for each: few places pass by chance
	return gramFilter{bits: make([]uint64, 1<<(width-6)), shift: uint8(32 - width)}
}

// add adds the gram that text begins with.
func (f *gramFilter) add(text string) {
	if len(text) >= 4 {
		bit := gramOf(text).hash() >> f.shift
		f.bits[bit>>6] |= 1 << (bit & 63)
		return
	}
	f.short[text[0]>>6&1] |= 1 << (text[0] & 63)
}

// next returns the first place in s, from i on, where a gram may stand; len(s) if there is none.
func (f *gramFilter) next(s string, i int) int {
	if f.short == [2]uint64{} {
		return f.nextLong(s, i)
	}
	for rest := s[i:]; len(rest) > 0; rest = rest[1:] {
		if f.mayBeShort(rest[0]) || len(rest) >= 4 && f.mayBeLong(firstFour(rest)) {
			return len(s) - len(rest)
		}
	}
	return len(s)
}

// nextLong is next if no gram is shorter than four octets.
func (f *gramFilter) nextLong(s string, i int) int {
	bits, shift := f.bits, f.shift&31
	for rest := s[i:]; len(rest) >= 4; rest = rest[1:] { // so that the compiler sees that no index is out of range
		if bit := firstFour(rest).hash() >> shift; bits[bit>>6]>>(bit&63)&1 != 0 {
			return len(s) - len(rest)
		}
	}
	return len(s)
}

func (f *gramFilter) mayBeLong(g gram) bool {
	bit := g.hash() >> (f.shift & 31)
	return f.bits[bit>>6]>>(bit&63)&1 != 0
}

func (f *gramFilter) mayBeShort(first byte) bool { return f.short[first>>6&1]>>(first&63)&1 != 0 }

func (f *gramFilter) bytes() int { return 8 * cap(f.bits) }
