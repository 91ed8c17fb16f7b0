// Package parts are the two parts of a reader of robots.txt that are the same in the task and in the solution. Both are right as they stand, but for
// percent escapes, which a real reader brings into one form first: collyrobots.Compile does.
package parts

import "strings"

// Split takes a line apart: "Allow: /tea # please" gives "allow" and "/tea". Of a line that is no record both are empty.
func Split(line string) (key, value string) {
	line, _, _ = strings.Cut(line, "#")
	key, value, ok := strings.Cut(line, ":")
	if !ok {
		return "", ""
	}
	return strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
}

// Matches reports whether a rule's pattern matches a path with its query: from the first character on, with "*" for any text and "$" for the end
// (RFC 9309, 2.2.3).
func Matches(pattern, path string) bool {
	pattern, toEnd := strings.CutSuffix(pattern, "$")
	pieces := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(path, pieces[0])
	if !ok {
		return false
	}
	for i, piece := range pieces[1:] {
		if toEnd && i == len(pieces)-2 {
			return strings.HasSuffix(rest, piece)
		}
		at := strings.Index(rest, piece)
		if at < 0 {
			return false
		}
		rest = rest[at+len(piece):]
	}
	return !toEnd || rest == ""
}
