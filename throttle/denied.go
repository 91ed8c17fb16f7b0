package throttle

import (
	"net/http"
	"slices"
)

// A site that says no is left alone: its robots.txt and its first pages alike, or many answers in a row.
const (
	firstPages = 3
	deniedRun  = 10
)

// denies reports whether an answer says no: 401, 403, 451 (RFC 9110, 15.5.2 and 15.5.4; RFC 7725), or a challenge that only a browser can pass.
func denies(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusUnavailableForLegalReasons:
		return true
	}
	return says(resp, "Cf-Mitigated", "challenge") || says(resp, "X-Amzn-Waf-Action", "challenge", "captcha")
}

// says reports whether a field, named in canonical form, begins with one of the values.
func says(resp *http.Response, key string, values ...string) bool {
	got := resp.Header[key]
	return len(got) > 0 && slices.Contains(values, got[0])
}

// deny takes in an answer that says no, and reports whether the host is to be left alone from now on.
func (h *host) deny(robots bool) bool {
	if robots {
		h.marks |= robotsDenied
		return false
	}
	h.denied = min(h.denied+1, deniedRun)
	if h.pages < firstPages {
		h.pages++
	}
	return h.denied >= deniedRun || h.pages == firstPages && h.marks&robotsDenied != 0 && h.denied >= firstPages
}

// accept takes in any other answer.
func (h *host) accept(robots bool) {
	if robots {
		h.marks &^= robotsDenied
		return
	}
	h.denied, h.pages = 0, allWell
}
