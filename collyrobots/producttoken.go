package collyrobots

import (
	"errors"
	"fmt"

	"github.com/collyetiquette/etiquette/internal/token"
)

// Why a User-Agent has no product token. robots.txt then has no group for it but "*", and the site's owner cannot tell it
// from others.
var (
	// ErrNoProductToken: nothing in the string can be a product token.
	ErrNoProductToken = errors.New("collyrobots: no product token")
	// ErrBrowser: the string is a browser's and names no crawler.
	ErrBrowser = errors.New("collyrobots: a browser's User-Agent")
)

// ProductToken returns the name by which a robots.txt addresses the crawler that sends userAgent (RFC 9309, 2.2.1):
// "FooBot" of "FooBot/1.0 (+https://foo.example/bot)" and of "Mozilla/5.0 (compatible; FooBot/1.0; +https://foo.example/bot)".
// Behind "Mozilla/5.0" it is what follows "compatible", else the head of a comment of its own, else a product that
// belongs to no browser. It is cut at the first character that a product token cannot hold, which is any but A-Z, a-z, "_"
// and "-": "Crawl4All/2.0" gives "Crawl".
//
// The error matches [ErrBrowser] for a browser's string and [ErrNoProductToken] if nothing is left. Either way the rules
// for "*" hold. ProductToken is pure and safe for concurrent use.
func ProductToken(userAgent string) (string, error) {
	name, err := token.FromUserAgent(userAgent)
	switch {
	case errors.Is(err, token.ErrBrowser):
		return "", fmt.Errorf("%w: %.100q names no crawler; send a name of your own, such as \"FooBot/1.0 (+https://foo.example/bot)\"", ErrBrowser, userAgent)
	case err != nil:
		return "", fmt.Errorf("%w in %.100q: it must start with a name of letters, \"-\" and \"_\", such as \"FooBot/1.0\"", ErrNoProductToken, userAgent)
	}
	return name, nil
}

// ownToken is the token that Compile looks for: productToken itself if it is one, else that of a User-Agent; empty if there
// is none.
func ownToken(productToken string) string {
	if token.Valid(productToken) {
		return token.Fold(productToken)
	}
	name, _ := ProductToken(productToken) // no token: "*" is ours
	return token.Fold(name)
}
