package collyrobots

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf16"

	"golang.org/x/net/html"
)

// mostHeadOctets is how much of a page is searched for the end of its head.
const mostHeadOctets = 2 << 20

// HTMLSignals is what the head of an HTML page says about the page: <meta name="robots">, and the same under our product token.
// productToken, alsoObey and now are as in [HeaderSignals].
//
// The body of a page is not read, since it may hold what strangers wrote. Of a head that is longer than 2 MiB the first 2 MiB are read.
// HTMLSignals is pure.
func HTMLSignals(page []byte, productToken string, now time.Time, alsoObey ...string) Signals {
	return htmlSignals(page, agentsOf(productToken, alsoObey), now, false)
}

func htmlSignals(page []byte, a agents, now time.Time, xhtml bool) Signals {
	var s Signals
	tags := tagReader{into: &s, agents: a, now: now}
	h := newPageHead(page, xhtml)
	for h.next() {
		name, content := h.meta()
		name = trimSpace(name)
		if !a.addresses(name) {
			continue
		}
		agent := name
		if strings.EqualFold(name, "robots") {
			agent = "*"
		}
		src := Source{Kind: "meta", Where: "html", Agent: agent, Raw: cutRaw(content)}
		s.addRaw(src)
		if len(content) > mostFieldOctets {
			content = content[:max(strings.LastIndexByte(content[:mostFieldOctets+1], ','), 0)]
			s.addProblem(src, fmt.Sprintf("longer than %d octets: what lies behind does not count", mostFieldOctets))
		}
		tags.read(src, content, agent, false)
	}
	if h.cut {
		s.addProblem(Source{Kind: "meta", Where: "html", Agent: "*"}, fmt.Sprintf("the head is longer than %d octets: what lies behind does not count", mostHeadOctets))
	}
	return s
}

// pageHead walks the <meta> elements in the head of a page, as browsers that run no scripts find it: it ends with </head>, or with the first thing
// that belongs into a body. Where <head> is written out, what does not belong into it does not end it: the site's owner sees his head there.
type pageHead struct {
	z        *html.Tokenizer
	xhtml    bool   // "<script/>" is closed
	raw      string // the element whose text is passed over
	template int    // depth of <template>, whose content is no part of the page
	noscript bool
	open     bool // <head> was written out and not closed yet
	cut      bool // the limit came before the end
	limited  bool // there is more than is read
}

func newPageHead(page []byte, xhtml bool) *pageHead {
	page, more := utf8Head(page)
	h := &pageHead{z: html.NewTokenizer(bytes.NewReader(page)), xhtml: xhtml, limited: more}
	h.z.SetMaxBuf(mostHeadOctets)
	return h
}

// next goes to the next <meta>; false at the end of the head.
func (h *pageHead) next() bool {
	for {
		switch h.z.Next() {
		case html.ErrorToken:
			h.cut = h.limited || !errors.Is(h.z.Err(), io.EOF)
			return false
		case html.TextToken:
			if !h.passes() && trimSpace(string(h.z.Text())) != "" && !h.open {
				return false
			}
		case html.StartTagToken:
			if meta, ended := h.start(false); meta || ended {
				return !ended
			}
		case html.SelfClosingTagToken:
			if meta, ended := h.start(h.xhtml); meta || ended {
				return !ended
			}
		case html.EndTagToken:
			if h.end() {
				return false
			}
		}
	}
}

// passes reports whether text at this place is no content.
func (h *pageHead) passes() bool { return h.raw != "" || h.template > 0 || h.noscript }

// start takes a start tag. closed says that it is its own end.
func (h *pageHead) start(closed bool) (meta, ended bool) {
	name, _ := h.z.TagName()
	switch tag := string(name); tag {
	case "html", "base", "basefont", "bgsound", "link":
	case "head":
		h.open = true
	case "meta":
		return h.template == 0, false
	case "title", "style", "script", "noframes":
		if closed {
			h.z.NextIsNotRawText()
		} else {
			h.raw = tag
		}
	case "noscript":
		h.z.NextIsNotRawText()
		h.noscript = !closed
	case "template":
		if !closed {
			h.template++
		}
	case "body", "frameset":
		return false, h.template == 0
	default:
		if h.passes() || h.open {
			return false, false
		}
		return false, true
	}
	return false, false
}

// end takes an end tag; true: the head has ended.
func (h *pageHead) end() bool {
	name, _ := h.z.TagName()
	switch tag := string(name); tag {
	case h.raw:
		h.raw = ""
	case "noscript":
		h.noscript = false
	case "template":
		h.template = max(h.template-1, 0)
	case "head":
		if h.template == 0 {
			h.open = false
		}
	case "body", "html":
		return h.template == 0
	}
	return false
}

// meta is the name and the content of the <meta> at which next has stopped. Of an attribute that stands there twice the first counts.
func (h *pageHead) meta() (name, content string) {
	var named, filled bool
	for more := true; more; {
		var key, value []byte
		key, value, more = h.z.TagAttr()
		switch {
		case !named && string(key) == "name":
			name, named = string(value), true
		case !filled && string(key) == "content":
			content, filled = string(value), true
		}
	}
	return name, content
}

// utf8Head is the beginning of a page, as far as it is read. A page in UTF-16 is known by its byte order mark; other encodings that are in use
// have ASCII in them, which is all that is looked for.
func utf8Head(page []byte) (text []byte, more bool) {
	if len(page) > mostHeadOctets {
		page, more = page[:mostHeadOctets], true
	}
	if len(page) < 2 {
		return page, more
	}
	big := page[0] == 0xFE && page[1] == 0xFF
	if !big && !(page[0] == 0xFF && page[1] == 0xFE) {
		return bytes.TrimPrefix(page, []byte("\xEF\xBB\xBF")), more
	}
	units := make([]uint16, 0, len(page)/2)
	for i := 2; i+1 < len(page); i += 2 {
		a, b := uint16(page[i]), uint16(page[i+1])
		if big {
			a, b = b, a
		}
		units = append(units, b<<8|a)
	}
	return []byte(string(utf16.Decode(units))), more
}
