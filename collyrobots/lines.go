package collyrobots

import "strings"

// bodyLines walks the lines of a robots.txt as grobotstxt.Parse numbers them: from 1, ended by LF, CR or CR LF. A byte order
// mark at the start, whole or broken off, is no part of the first line.
type bodyLines struct {
	body   string
	at     int // where the next line begins
	number int // of the line that was returned last
	cr, lf int // the first of each at or behind at; len(body) if there is none
	ended  bool
}

func newBodyLines(body string) bodyLines {
	l := bodyLines{body: body}
	for _, c := range []byte("\xEF\xBB\xBF") {
		if l.at == len(body) || body[l.at] != c {
			break
		}
		l.at++
	}
	l.cr, l.lf = l.find('\r'), l.find('\n')
	return l
}

// next returns the next line without its end; false behind the last one.
func (l *bodyLines) next() (string, bool) {
	if l.ended {
		return "", false
	}
	l.number++
	end := min(l.cr, l.lf)
	line := l.body[l.at:end]
	if l.ended = end == len(l.body); l.ended {
		return line, true
	}
	l.at = end + 1
	if l.cr == end && l.lf == l.at && l.lf < len(l.body) {
		l.at++
	}
	if l.cr < l.at {
		l.cr = l.find('\r')
	}
	if l.lf < l.at {
		l.lf = l.find('\n')
	}
	return line, true
}

func (l *bodyLines) find(c byte) int {
	if i := strings.IndexByte(l.body[l.at:], c); i >= 0 {
		return l.at + i
	}
	return len(l.body)
}

// isBlank reports whether c may stand around names and values: the white space of RFC 9309, 2.2, and with it vertical tab and
// form feed, as Google's parser has it. A no-break space is none: it belongs to the value.
func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\v' || c == '\f'
}

func trimBlanks(s string) string {
	for s != "" && isBlank(s[0]) {
		s = s[1:]
	}
	for s != "" && isBlank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// indexBlank is where the first blank of s stands, -1 if there is none.
func indexBlank(s string) int {
	for i := range len(s) {
		if isBlank(s[i]) {
			return i
		}
	}
	return -1
}

// splitRecord cuts a line into name and value, without comment and blanks. Where the ":" is missing, a blank may stand for
// it if there are two words in all, as Google's parser has it. It returns false if the line holds no record.
func splitRecord(line string) (name, value string, ok bool) {
	if i := strings.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	line = trimBlanks(line)
	i := strings.IndexByte(line, ':')
	missing := i < 0
	if missing {
		if i = indexBlank(line); i < 0 {
			return "", "", false
		}
	}
	name, value = trimBlanks(line[:i]), trimBlanks(line[i+1:])
	return name, value, name != "" && !(missing && indexBlank(value) >= 0)
}

// wholeLines returns what of body lies within limit octets, without the last line if the limit cuts it in two (RFC 9309,
// 2.5): half a path would disallow more, or less, than the whole one.
func wholeLines(body []byte, limit int) []byte {
	if len(body) <= limit {
		return body
	}
	if c := body[limit]; c == '\n' || c == '\r' {
		return body[:limit]
	}
	for i := limit; i > 0; i-- {
		if c := body[i-1]; c == '\n' || c == '\r' {
			return body[:i]
		}
	}
	return nil
}
