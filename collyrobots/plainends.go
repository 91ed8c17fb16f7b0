package collyrobots

import (
	"math"
	"slices"
	"unsafe"
)

// plainEnd is how the prefix of a plain rule ends. Prefixes of one file begin alike and differ at the end, so that hardly a rule that does not match
// is looked at any closer.
type plainEnd struct {
	last  uint32 // its last four octets, if it has so many
	n     uint16 // how many octets it has
	rule  uint8
	exact bool // nothing may follow it
}

const plainEndSize = int(unsafe.Sizeof(plainEnd{}))

// endsByRank returns the ends of the first n rules of s, the highest rank first: then the first rule that matches decides. It is false if a prefix
// is too long.
func endsByRank(s *ruleSet, n int) ([]plainEnd, bool) {
	ends := make([]plainEnd, n)
	for i := range ends {
		prefix := s.prefix(uint32(i))
		if len(prefix) > math.MaxUint16 {
			return nil, false
		}
		ends[i] = plainEnd{n: uint16(len(prefix)), rule: uint8(i), exact: s.isExact(uint32(i))}
		if len(prefix) >= 4 {
			ends[i].last = lastFour(prefix)
		}
	}
	slices.SortStableFunc(ends, func(a, b plainEnd) int { return int(s.rank(uint32(b.rule))) - int(s.rank(uint32(a.rule))) })
	return ends, true
}

// lastFour is the last four octets of s as a number.
func lastFour(s string) uint32 {
	s = s[len(s)-4:]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}
