package collyrobots

import "strings"

// The texts of a sorted list that a string begins with lie on one way: it begins at the last text that is not behind the string,
// and leads from each to the last one before it that it begins with itself. So one search finds them all. The list of the
// plain rules is searched in this manner, by the prefixes that they match, and so is that of the keys of an index.

// linkPrefixes returns, for each of n sorted texts, 1 + the next one on its way; 0 ends it.
func linkPrefixes(n int, text func(i uint32) string) []uint32 {
	above := make([]uint32, n)
	var way []uint32 // from the text at hand up, the shortest first
	for i := range uint32(n) {
		for len(way) > 0 && !strings.HasPrefix(text(i), text(way[len(way)-1])) {
			way = way[:len(way)-1]
		}
		if len(way) > 0 {
			above[i] = 1 + way[len(way)-1]
		}
		way = append(way, i)
	}
	return above
}

// notBehind reports whether p, up to its "*" if it has one, is not behind s in order, and how many octets the two have in
// common. The first n are known to be. s holds no "*".
func notBehind(p, s string, n int) (ok bool, common int) {
	for n < len(p) && n < len(s) && p[n] == s[n] {
		n++
	}
	return n == len(p) || p[n] == '*' || n < len(s) && p[n] < s[n], n
}

// prefix is what plain rule i matches the beginning of a path with: its pattern without the tail, which changes nothing.
func (s *ruleSet) prefix(i uint32) string {
	return strings.TrimSuffix(strings.TrimSuffix(s.pattern(i), "$"), "*")
}

// bestPlain is the plain rule with the highest rank of those that match path.
func (s *ruleSet) bestPlain(path string) verdict {
	lo, hi := -1, len(s.above) // lo is not behind path, hi is
	loCommon, hiCommon := 0, 0
	for hi-lo > 1 {
		mid := int(uint(lo+hi) / 2)
		// What lo and hi have in common with path, all between them have too.
		if ok, n := notBehind(s.pattern(uint32(mid)), path, min(loCommon, hiCommon)); ok {
			lo, loCommon = mid, n
		} else {
			hi, hiCommon = mid, n
		}
	}
	var v verdict
	for i := uint32(lo + 1); i != 0; i = s.above[i-1] {
		if r := s.rank(i - 1); r > v.rank && len(s.prefix(i-1)) <= loCommon {
			v = verdict{s, i - 1, r}
		}
	}
	return v
}
