package collyrobots

import "math/bits"

// gramSet says which of a set of keys a string may begin with, by the first four octets, or by all octets of shorter keys. It
// errs on the side of "may": it is one bit for each hash.
type gramSet struct {
	bits    []uint64
	shift   uint8 // 32 minus the octets of a bit number
	lengths uint8 // bit n-1 is set if there are keys that count with n octets
}

func newGramSet(text string, keys []stretch) gramSet {
	width := max(6, bits.Len(uint(8*len(keys)))) // at least eight bits for each key
	g := gramSet{bits: make([]uint64, 1<<(width-6)), shift: uint8(32 - width)}
	for _, k := range keys {
		n := min(k.end-k.at, 4)
		g.lengths |= 1 << (n - 1)
		h := g.hash(firstOctets(k.of(text)) & (1<<(8*n) - 1))
		g.bits[h>>6] |= 1 << (h & 63)
	}
	return g
}

// next returns the first place in s, from i on, where a key may stand; len(s) if there is none.
func (g *gramSet) next(s string, i int) int {
	if g.lengths == 8 {
		bits, shift := g.bits, g.shift&31
		for ; i+4 <= len(s); i++ {
			v := uint32(s[i]) | uint32(s[i+1])<<8 | uint32(s[i+2])<<16 | uint32(s[i+3])<<24
			h := v * spread >> shift
			if bits[h>>6]>>(h&63)&1 != 0 {
				return i
			}
		}
		return len(s)
	}
	for ; i < len(s); i++ {
		v := firstOctets(s[i:])
		if g.lengths&8 != 0 && g.has(v) || g.lengths&4 != 0 && g.has(v&0xFFFFFF) ||
			g.lengths&2 != 0 && g.has(v&0xFFFF) || g.lengths&1 != 0 && g.has(v&0xFF) {
			return i
		}
	}
	return len(s)
}

func (g *gramSet) has(v uint32) bool {
	h := g.hash(v)
	return g.bits[h>>6]>>(h&63)&1 != 0
}

func (g *gramSet) hash(v uint32) uint32 { return v * spread >> (g.shift & 31) }

// spread is the factor of Fibonacci hashing.
const spread = 0x9E3779B1

// firstOctets is the first four octets of s as a number, the first octet lowest.
func firstOctets(s string) uint32 {
	if len(s) >= 4 {
		return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
	}
	var v uint32
	for i := range len(s) {
		v |= uint32(s[i]) << (8 * i)
	}
	return v
}
