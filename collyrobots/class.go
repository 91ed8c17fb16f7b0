package collyrobots

import "net/http"

// Class is what the answer to a request for robots.txt means (RFC 9309, 2.3.1).
type Class string

const (
	// ClassRules: there is a file, perhaps an empty one, and its rules hold (2.3.1.1).
	ClassRules Class = "rules"
	// ClassUnavailable: the site says that it has none, so there are no rules (2.3.1.3).
	ClassUnavailable Class = "unavailable"
	// ClassUnreachable: it is not known what the site wants, so everything is disallowed (2.3.1.4).
	ClassUnreachable Class = "unreachable"
)

// statusMeaning is what one answer's status says, before anything of its body is known.
type statusMeaning uint8

const (
	meansUnreachable statusMeaning = iota // when in doubt, everything is disallowed
	meansRules
	meansEmpty
	meansUnavailable
	meansRedirect
	meansNotModified
	meansProxy // the proxy speaks, not the site
)

// meaningOf reads a status. conditional says that the request carried a validator: a 304 that nobody asked for says nothing.
func meaningOf(status int, conditional bool) statusMeaning {
	switch status {
	case http.StatusOK, http.StatusNonAuthoritativeInfo:
		return meansRules
	case http.StatusNoContent:
		return meansEmpty
	case http.StatusNotModified:
		if conditional {
			return meansNotModified
		}
		return meansUnreachable
	case http.StatusProxyAuthRequired:
		return meansProxy
	case http.StatusRequestTimeout, http.StatusMisdirectedRequest, http.StatusTooEarly, http.StatusTooManyRequests:
		// They speak of this request at this moment and not of the file: ask later.
		return meansUnreachable
	}
	switch status / 100 {
	case 3:
		return meansRedirect
	case 4:
		return meansUnavailable
	}
	return meansUnreachable
}
