package collyrobots

import "strings"

// The texts of a sorted list that a string begins with lie on one way: it begins at the last text that is not behind the string,
// and leads from each to the last one before it that it begins with itself. The list of the plain rules is searched in this
// manner, by the prefixes that they match, and so is that of the keys of an index.

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

// notBehind reports whether p, up to its "*" or end mark if it has one, is not behind s in order, and how many octets the two
// have in common. The first n are known to be. s holds neither mark.
func notBehind(p, s string, n int) (ok bool, common int) {
	for n < len(p) && n < len(s) && p[n] == s[n] {
		n++
	}
	return n == len(p) || p[n] == '*' || p[n] == '$' || n < len(s) && p[n] < s[n], n
}
