package collyrobots

import "math/bits"

// gram is the first four octets of a text as a number, the first octet lowest, or all of them if they are fewer. No octet is
// zero in a normal form, so that grams of different lengths differ.
type gram uint32

func gramOf(s string) gram {
	if len(s) >= 4 {
		return gram(s[0]) | gram(s[1])<<8 | gram(s[2])<<16 | gram(s[3])<<24
	}
	var g gram
	for i := range len(s) {
		g |= gram(s[i]) << (8 * i)
	}
	return g
}

// hash spreads the bits of g upwards: Fibonacci hashing.
func (g gram) hash() uint32 { return uint32(g) * 0x9E3779B1 }

// gramFilter says where in a string one of some keys may stand, by their grams. It errs on the side of "may": there is one bit
// for each hash of a gram, and for keys of fewer than four octets one for each first octet.
type gramFilter struct {
	bits  []uint64
	shift uint8     // 32 minus the width of a bit's number
	short [2]uint64 // keys are ASCII
}

// newGramFilter makes an empty filter with room for so many keys.
func newGramFilter(keys int) gramFilter {
	width := max(6, bits.Len(uint(8*keys))) // at least eight bits for each key
	return gramFilter{bits: make([]uint64, 1<<(width-6)), shift: uint8(32 - width)}
}

func (f *gramFilter) add(key string) {
	if len(key) >= 4 {
		bit := gramOf(key).hash() >> f.shift
		f.bits[bit>>6] |= 1 << (bit & 63)
		return
	}
	f.short[key[0]>>6&1] |= 1 << (key[0] & 63)
}

// next returns the first place in s, from i on, where a key may stand; len(s) if there is none.
func (f *gramFilter) next(s string, i int) int {
	if f.short == [2]uint64{} {
		return f.nextLong(s, i)
	}
	for ; i < len(s); i++ {
		if f.short[s[i]>>6&1]>>(s[i]&63)&1 != 0 || i+4 <= len(s) && f.has(gramOf(s[i:])) {
			return i
		}
	}
	return len(s)
}

// nextLong is next if no key is shorter than four octets.
func (f *gramFilter) nextLong(s string, i int) int {
	bits, shift := f.bits, f.shift&31
	for ; i+4 <= len(s); i++ {
		if bit := gramOf(s[i:]).hash() >> shift; bits[bit>>6]>>(bit&63)&1 != 0 {
			return i
		}
	}
	return len(s)
}

func (f *gramFilter) has(g gram) bool {
	bit := g.hash() >> (f.shift & 31)
	return f.bits[bit>>6]>>(bit&63)&1 != 0
}
