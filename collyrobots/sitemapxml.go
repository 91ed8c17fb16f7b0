package collyrobots

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html/charset"
)

// sitemapLimits bound one sitemap.
type sitemapLimits struct {
	octets  int64 // packed and unpacked
	entries int
	token   int // octets of one tag, text or comment: an XML decoder keeps it whole
}

// sitemapLimit are the limits that sitemaps.org sets, and one for tokens.
var sitemapLimit = sitemapLimits{octets: 50 << 20, entries: 50_000, token: 1 << 20}

const (
	mostLocation = 2048 // octets of a URL, by sitemaps.org
	mostXMLDepth = 64
)

// sitemapFile is a sitemap that was read: URLs of pages, or of sitemaps.
type sitemapFile struct {
	index   bool
	entries []sitemapLocation
	long    int // locations that are longer than mostLocation, which are left out
	limits  sitemapLimits
}

type sitemapLocation struct {
	location string
	modified string // as it stands there; empty: nothing is said
}

var (
	errSitemapTooLong = errors.New("it has more octets than a sitemap may have: what lies behind is not read")
	errSitemapTooMany = errors.New("it has more entries than a sitemap may have: what lies behind is not read")
	errTokenTooLong   = errors.New("one of its tags or texts is too long: what lies behind is not read")
	errSitemapCut     = errors.New("it ends in the middle")
	errDeepXML        = errors.New("its elements are nested too deep: what lies behind is not read")
)

// readSitemap reads a sitemap: XML (a urlset or a sitemapindex) or a text with a URL in each line, plain or gzipped. The error says why
// reading ended early: the entries before that place count all the same.
func readSitemap(body io.Reader, limits sitemapLimits) (sitemapFile, error) {
	f := sitemapFile{limits: limits}
	b, err := unpacked(body, limits.octets)
	if err != nil {
		return f, err
	}
	if begin, _ := b.Peek(3); bytes.Equal(begin, []byte("\xEF\xBB\xBF")) {
		_, _ = b.Discard(3)
	}
	for {
		c, err := b.ReadByte()
		if errors.Is(err, io.EOF) {
			return f, nil // an empty file names nothing
		}
		if err != nil {
			return f, err
		}
		if isHTMLSpace(rune(c)) {
			continue
		}
		if err := b.UnreadByte(); err != nil {
			return f, err
		}
		if c == '<' {
			return f, f.readXML(&tokenReader{b: b})
		}
		return f, f.readText(b)
	}
}

// add takes an entry in; false: there is no room for it.
func (f *sitemapFile) add(location, modified string) bool {
	switch {
	case location == "":
		return true
	case len(location) > mostLocation:
		f.long++
		return true
	case len(f.entries) == f.limits.entries:
		return false
	}
	f.entries = append(f.entries, sitemapLocation{location, modified})
	return true
}

func (f *sitemapFile) readText(b *bufio.Reader) error {
	lines := bufio.NewScanner(b)
	lines.Buffer(nil, f.limits.token)
	for lines.Scan() {
		if !f.add(trimSpace(lines.Text()), "") {
			return errSitemapTooMany
		}
	}
	if err := lines.Err(); !errors.Is(err, bufio.ErrTooLong) {
		return err
	}
	return errTokenTooLong
}

// readXML walks the elements of a sitemap. Raw tokens are used: the decoder then keeps no stack, which a stranger could make as large as the file.
func (f *sitemapFile) readXML(r *tokenReader) error {
	d := xml.NewDecoder(r)
	d.Strict = false // a bare "&" in a URL is common
	d.CharsetReader = charset.NewReaderLabel
	x := sitemapWalk{file: f}
	for {
		r.left = f.limits.token
		token, err := d.RawToken()
		switch {
		case errors.Is(err, io.EOF) && x.depth > 0:
			return errSitemapCut
		case errors.Is(err, io.EOF):
			return nil
		case r.err != nil && !errors.Is(r.err, io.EOF):
			return r.err
		case err != nil:
			return err
		}
		if done, err := x.take(token); done || err != nil {
			return err
		}
	}
}

// sitemapWalk is where in a sitemap the reader is.
type sitemapWalk struct {
	file  *sitemapFile
	depth int
	space string // prefix of the root's name, which those of its children must have
	entry bool   // inside of <url> or <sitemap>

	into               *strings.Builder // of the text that is read; nil: none
	location, modified strings.Builder
}

func (x *sitemapWalk) take(token xml.Token) (done bool, err error) {
	switch t := token.(type) {
	case xml.StartElement:
		return false, x.start(t.Name)
	case xml.EndElement:
		return x.end()
	case xml.CharData:
		if x.into != nil && x.into.Len() <= mostLocation {
			x.into.Write(t[:min(len(t), 2*mostLocation)])
		}
	}
	return false, nil
}

func (x *sitemapWalk) start(name xml.Name) error {
	x.depth++
	x.into = nil
	switch {
	case x.depth > mostXMLDepth:
		return errDeepXML
	case x.depth == 1:
		x.space = name.Space
		x.file.index = name.Local == "sitemapindex"
		if !x.file.index && name.Local != "urlset" {
			return fmt.Errorf("it is no sitemap: its root is <%.40s>", name.Local)
		}
	case name.Space != x.space:
	case x.depth == 2:
		x.entry = name.Local == "url" && !x.file.index || name.Local == "sitemap" && x.file.index
		x.location.Reset()
		x.modified.Reset()
	case x.depth == 3 && x.entry && name.Local == "loc" && x.location.Len() == 0:
		x.into = &x.location
	case x.depth == 3 && x.entry && name.Local == "lastmod" && x.modified.Len() == 0:
		x.into = &x.modified
	}
	return nil
}

func (x *sitemapWalk) end() (done bool, err error) {
	x.into = nil
	if x.depth == 2 && x.entry {
		x.entry = false
		if !x.file.add(trimSpace(x.location.String()), trimSpace(x.modified.String())) {
			return true, errSitemapTooMany
		}
	}
	x.depth = max(x.depth-1, 0)
	return x.depth == 0, nil // nothing behind the root counts
}

// tokenReader reads for an XML decoder, and ends it where one token grows too long.
type tokenReader struct {
	b    *bufio.Reader
	left int
	err  error
}

// ReadByte is how a decoder reads.
func (r *tokenReader) ReadByte() (byte, error) {
	if r.left--; r.left < 0 {
		r.err = errTokenTooLong
		return 0, r.err
	}
	c, err := r.b.ReadByte()
	r.err = err
	return c, err
}

// Read is for a decoder that changes to another character set.
func (r *tokenReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		r.err = errTokenTooLong
		return 0, r.err
	}
	n, err := r.b.Read(p[:min(len(p), r.left)])
	r.left -= n
	r.err = err
	return n, err
}
