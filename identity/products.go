package identity

import "strings"

// product is one whole product name in a User-Agent, inside or outside of comments.
type product struct {
	name      string
	versioned bool // a "/" follows
}

// productsOf lists what stands between the start, a space, "(", ";" or "," and a "/", a space, ")", ";", "," or the end. Parts of URLs and
// addresses are none: they begin or end with something else.
func productsOf(ua string) []product {
	const separators = " \t(;,)"
	var found []product
	for i := 0; i < len(ua); {
		if strings.IndexByte(separators, ua[i]) >= 0 {
			i++
			continue
		}
		start := i
		for i < len(ua) && strings.IndexByte(separators, ua[i]) < 0 {
			i++
		}
		glued := start > 0 && ua[start-1] == ')'
		opens := i < len(ua) && ua[i] == '('
		name, _, versioned := strings.Cut(ua[start:i], "/")
		if name != "" && !glued && (versioned || !opens) {
			found = append(found, product{name, versioned})
		}
	}
	return found
}
