package token

import (
	"errors"
	"strings"
)

// The two ways in which a User-Agent names no crawler.
var (
	// ErrNone: the string holds nothing that could be a product token.
	ErrNone = errors.New("token: no product token")
	// ErrBrowser: the string is a browser's and names nobody besides.
	ErrBrowser = errors.New("token: a browser's User-Agent")
)

// FromUserAgent returns the product token of the crawler that sends userAgent (RFC 9309, 2.2.1), in the case in which it is
// written there. Crawlers write it in one of two ways:
//
//   - as the first product: "FooBot/1.0 (+https://foo.example/bot)";
//   - behind "Mozilla/5.0", as browsers' strings begin. Then it is what follows the word "compatible", as in
//     "Mozilla/5.0 (compatible; FooBot/1.0; +https://foo.example/bot)"; else the head of a comment of its own, as in
//     "… Safari/605.1 (FooBot/1.0; +https://foo.example/bot)"; else a product that belongs to no browser, as in
//     "… Safari/605.1 FooBot/1.0".
//
// The name is cut at the first octet that a product token cannot hold, so "Foo4Bot" gives "Foo". The error is [ErrNone] if
// nothing is left, and [ErrBrowser] if all names are a browser's.
func FromUserAgent(userAgent string) (string, error) {
	items := split(userAgent)
	if len(items) == 0 || items[0].comment > 0 {
		return "", ErrNone
	}
	first := Cut(items[0].text)
	switch {
	case first == "":
		return "", ErrNone
	case Equal(first, "Mozilla"):
	case isBrowser(first):
		return "", ErrBrowser
	default:
		return first, nil
	}
	for _, find := range []func([]item) string{afterCompatible, headOfComment, furtherProduct} {
		if name := find(items); name != "" {
			return name, nil
		}
	}
	return "", ErrBrowser
}

// item is one product, or one part of a comment.
type item struct {
	text    string
	comment int  // the comment it stands in, counted from 1; 0 outside of comments
	head    bool // the first of its comment
}

// split cuts a User-Agent into its items. Brackets inside a comment are taken for parts of its text: what counts is which
// comment something stands in, not how deep.
func split(userAgent string) []item {
	var items []item
	comments, depth, start := 0, 0, 0
	head := false
	flush := func(end int) {
		if text := strings.Trim(userAgent[start:end], " \t"); text != "" {
			it := item{text: text}
			if depth > 0 {
				it.comment, it.head, head = comments, head, false
			}
			items = append(items, it)
		}
		start = end + 1
	}
	for i := range len(userAgent) {
		switch c := userAgent[i]; {
		case c == '(':
			flush(i)
			if depth++; depth == 1 {
				comments++
				head = true
			}
		case c == ')':
			flush(i)
			depth = max(depth-1, 0)
		case c == ';' || c == ',':
			flush(i)
		case depth == 0 && (c == ' ' || c == '\t'):
			flush(i)
		}
	}
	flush(len(userAgent))
	return items
}

func afterCompatible(items []item) string {
	const word = "compatible"
	for i, it := range items {
		next := ""
		switch {
		case Equal(it.text, word) && i+1 < len(items):
			next = items[i+1].text
		case len(it.text) > len(word) && Equal(it.text[:len(word)+1], word+" "):
			next = strings.TrimLeft(it.text[len(word):], " ")
		}
		if name := Cut(next); name != "" && !isBrowser(name) {
			return name
		}
	}
	return ""
}

func headOfComment(items []item) string {
	for _, it := range items {
		if it.head && isProduct(it.text) && !isBrowser(Cut(it.text)) {
			return Cut(it.text)
		}
	}
	return ""
}

func furtherProduct(items []item) string {
	for _, it := range items {
		if it.comment == 0 && isProduct(it.text) && !isBrowser(Cut(it.text)) {
			return Cut(it.text)
		}
	}
	return ""
}

// isProduct reports whether s has the form name/version. Comments of browsers are full of words that are no products.
func isProduct(s string) bool {
	name, version, ok := strings.Cut(s, "/")
	return ok && Cut(name) != "" && version != "" && !strings.ContainsAny(name, " \t")
}

// browsers are names that stand in browsers' strings, folded: engines, browsers, and the words that go with them.
var browsers = map[string]bool{
	"mozilla": true, "compatible": true, "version": true, "mobile": true, "like": true,
	"applewebkit": true, "khtml": true, "gecko": true, "goanna": true, "presto": true, "trident": true, "qtwebengine": true,
	"chrome": true, "chromium": true, "crios": true, "headlesschrome": true, "electron": true,
	"firefox": true, "fxios": true, "focus": true, "klar": true, "seamonkey": true, "iceweasel": true, "palemoon": true, "waterfox": true,
	"safari": true, "edge": true, "edg": true, "edga": true, "edgios": true, "msie": true,
	"opera": true, "opr": true, "opios": true, "opt": true, "opx": true,
	"brave": true, "duckduckgo": true, "ddg": true, "epiphany": true, "falkon": true, "gsa": true, "huaweibrowser": true,
	"konqueror": true, "miuibrowser": true, "oculusbrowser": true, "samsungbrowser": true, "silk": true, "ubuntu": true,
	"ucbrowser": true, "vivaldi": true, "whale": true, "yabrowser": true, "yowser": true,
}

func isBrowser(name string) bool {
	return browsers[Fold(name)]
}
