package main

import (
	"net/url"
	"strings"

	"github.com/jimsmart/grobotstxt"
	"github.com/temoto/robotstxt"

	"github.com/collyetiquette/etiquette/collyrobots"
)

// collyAlone is what Colly 2.3.0 does with IgnoreRobotsTxt = false: it looks the whole User-Agent up as a prefix, sorts and encodes the query
// anew, and allows where it finds no group, also after an answer of 5xx.
func collyAlone(r robotsAnswer, body []byte, u *url.URL, userAgent string) string {
	if r.Status == 0 && r.Class == collyrobots.ClassUnreachable {
		return "an error of Visit, and robots.txt is asked for again by the next one"
	}
	robots, err := robotstxt.FromStatusAndBytes(r.Status, body)
	if err != nil {
		return "an error of each Visit: " + strings.Join(strings.Fields(err.Error()), " ")
	}
	group := robots.FindGroup(userAgent)
	if group == nil {
		return "allowed"
	}
	path := u.EscapedPath()
	if u.RawQuery != "" {
		path += "?" + u.Query().Encode()
	}
	return verdict(group.Test(path))
}

// grobotstxtAlone is what the matcher says of the text: it knows nothing of status codes.
func grobotstxtAlone(r robotsAnswer, body []byte, u *url.URL, token string) string {
	if r.Class != collyrobots.ClassRules {
		return "it is not asked: there is no text"
	}
	return verdict(grobotstxt.AgentAllowed(string(body), token, u.String()))
}

func verdict(allowed bool) string {
	if allowed {
		return "allowed"
	}
	return "disallowed"
}
