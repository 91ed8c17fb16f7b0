package chain

import "net/url"

// Admission marks a request so that the wire knows whether a callback of ours saw it: only then will our OnError see its error, and may name the
// *colly.Request it belongs to. A plain clone runs no callback and has no mark. The mark is url.URL.OmitHost, which means nothing for a URL that
// has a host, on the URL object that callback and wire share; a header would be visible to the server if it ever slipped through.

func setMark(u *url.URL) { u.OmitHost = true }

// takeMark reports the mark and takes it away: one that is still there when the answer's headers come tells that they came out of Colly's cache.
func takeMark(u *url.URL) bool {
	marked := u.OmitHost
	if marked {
		u.OmitHost = false
	}
	return marked
}

// FromCache reports, in an OnResponseHeaders callback, whether the answer came out of Colly's page cache and not over the wire.
func FromCache(u *url.URL) bool { return u.OmitHost }
