package collyrobots

import (
	"cmp"
	"slices"
	"strings"
)

// stretch is a part of a text.
type stretch struct{ at, end uint32 }

func (s stretch) of(text string) string { return text[s.at:s.end] }

// orderOf returns the indices of stretches in the order of what they say. Most comparisons are decided by the first eight
// octets, which are therefore looked up once.
func orderOf(text string, stretches []stretch) []uint32 {
	type key struct {
		head uint64
		i    uint32
	}
	keys := make([]key, len(stretches))
	for i, s := range stretches {
		keys[i] = key{head(s.of(text)), uint32(i)}
	}
	slices.SortFunc(keys, func(a, b key) int {
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		return strings.Compare(stretches[a.i].of(text), stretches[b.i].of(text))
	})
	order := make([]uint32, len(keys))
	for i, k := range keys {
		order[i] = k.i
	}
	return order
}

// head is the first eight octets of s as a number, the first octet on top. Where s is shorter it is filled up with zeros.
func head(s string) uint64 {
	if len(s) >= 8 {
		return uint64(s[0])<<56 | uint64(s[1])<<48 | uint64(s[2])<<40 | uint64(s[3])<<32 |
			uint64(s[4])<<24 | uint64(s[5])<<16 | uint64(s[6])<<8 | uint64(s[7])
	}
	var h uint64
	for i := range len(s) {
		h |= uint64(s[i]) << (56 - 8*i)
	}
	return h
}
