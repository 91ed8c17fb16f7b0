// Package pattern matches the path and query of a URI against the path patterns of robots.txt (RFC 9309, 2.2.2 and 2.2.3):
// a pattern matches from the first octet of the path on, "*" stands for any octets or none, and "$" at the end for the end
// of the URI. The kill switch writes its path rules in the same language.
//
// Both sides are brought into one normal form first, octet by octet:
//
//   - an escape of an unreserved octet is that octet ("%61" is "a"), any other escape has upper-case digits;
//   - an octet outside ASCII, or one that has no place in a URI (RFC 3986, 2), is an escape ("é" is "%C3%A9");
//   - a reserved octet stays as it is written: raw and escaped are different (RFC 3986, 2.2);
//   - "*" and "$" are escapes wherever they mean themselves: in a URI always, in a pattern if written "%2A" or "%24", and for
//     "$" anywhere but at the end. So "*" and "$" in a normal pattern are always the wildcard and the end mark;
//   - "%" without two hexadecimal digits behind it is an octet like any other;
//   - nothing else is changed: no dot segment is removed, no slash is folded, no query is sorted.
//
// The compiled form of a pattern is its normal text, cut where its literal prefix ends. Matching searches the leftmost place
// of each piece between two wildcards, one after the other. That is exact, since no later place of a piece can leave more
// room for the rest, and it takes neither a second look nor memory: the cost is at most that of one search for each piece.
//
// The package is pure: no I/O, no state. Everything in it is safe for concurrent use.
package pattern
