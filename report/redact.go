package report

import (
	"net/url"
	"strings"
)

// secretWords are parts of query names whose values do not belong into a log.
var secretWords = []string{"token", "secret", "passw", "pwd", "auth", "session", "signature", "apikey", "api_key", "api-key", "access_key", "credential"}

// RedactURL is u for a log: without userinfo, and with the values of query parameters that look like secrets replaced by "xxxxx". What cannot be
// parsed as a URL loses everything after the first "?" and everything before an "@".
func RedactURL(u string) string {
	parsed, err := url.Parse(u)
	if err != nil {
		u, _, _ = strings.Cut(u, "?")
		if i := strings.LastIndexByte(u, '@'); i >= 0 {
			u = u[i+1:]
		}
		return u
	}
	parsed.User = nil
	parsed.RawQuery = redactQuery(parsed.RawQuery)
	return parsed.String()
}

// redactQuery keeps order and spelling of what it does not replace.
func redactQuery(q string) string {
	if q == "" {
		return q
	}
	pairs := strings.Split(q, "&")
	for i, pair := range pairs {
		name, _, has := strings.Cut(pair, "=")
		if has && looksSecret(name) {
			pairs[i] = name + "=xxxxx"
		}
	}
	return strings.Join(pairs, "&")
}

func looksSecret(name string) bool {
	if plain, err := url.QueryUnescape(name); err == nil {
		name = plain
	}
	name = strings.ToLower(name)
	switch name {
	case "key", "sig", "sid", "code", "jwt", "phpsessid", "jsessionid":
		return true
	}
	for _, w := range secretWords {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}
