package collyrobots

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/report"
)

// answer is one answer, its body read.
type answer struct {
	url      *url.URL
	status   int
	meaning  statusMeaning
	header   http.Header
	body     []byte // at most one octet more than the limit, which tells that there is more
	response *http.Response
}

// proxyAnswer is an answer that the proxy gave in the site's place.
type proxyAnswer struct{ status int }

func (p *proxyAnswer) Error() string { return fmt.Sprintf("the proxy answered with %d", p.status) }

// errEncoding is an answer that cannot be decoded. To ask again would not help.
var errEncoding = errors.New("its Content-Encoding was not asked for and cannot be read")

// ask sends one request, and again after a failure of the network or the proxy, as long as there are tries left.
func (f *fetch) ask(ctx context.Context, u *url.URL, prev *http.Response) (*answer, error) {
	for {
		a, err := f.askOnce(ctx, u, prev)
		if err == nil || ctx.Err() != nil {
			return a, err
		}
		var refusal report.Refusal
		var p *proxyAnswer
		switch {
		case errors.As(err, &refusal), errors.Is(err, errEncoding):
			return nil, err
		case errors.As(err, &p), chain.IsProxy(err):
			if f.proxy--; f.proxy < 0 {
				return nil, err
			}
		default:
			if f.network--; f.network < 0 {
				return nil, err
			}
		}
	}
}

func (f *fetch) askOnce(ctx context.Context, u *url.URL, prev *http.Response) (a *answer, err error) {
	defer catch(&err) // the base is the user's
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GetConn: func(string) { f.clock.start() }})
	defer f.clock.stop()
	r := f.way.request(ctx, u, f.origin, prev)
	conditional := f.addValidators(r, u)
	resp, err := f.way.chain.Fetch(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	a = &answer{url: u, status: resp.StatusCode, meaning: meaningOf(resp.StatusCode, conditional), header: resp.Header, response: resp}
	switch a.meaning {
	case meansRules:
		if a.body, err = f.readBody(resp); err != nil {
			return nil, err
		}
	case meansProxy:
		err = &proxyAnswer{resp.StatusCode}
		fallthrough
	default:
		_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // so that the connection can be used again
	}
	return a, err
}

// addValidators asks for an answer only if the file has changed, where u is the place in which the copy was found.
func (f *fetch) addValidators(r *http.Request, u *url.URL) bool {
	if f.prev == nil || f.prev.copy == nil || f.prev.copy.URL != u.String() {
		return false
	}
	c := f.prev.copy
	if c.ETag != "" {
		r.Header["If-None-Match"] = []string{c.ETag}
	}
	if c.LastModified != "" {
		r.Header["If-Modified-Since"] = []string{c.LastModified}
	}
	return c.ETag != "" || c.LastModified != ""
}

// readBody reads the body, decompressed, up to one octet beyond the limit. A body that ends too soon is a network error: half a robots.txt
// allows what the whole one disallows.
func (f *fetch) readBody(resp *http.Response) ([]byte, error) {
	body := io.Reader(resp.Body)
	switch encoding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding"))); encoding {
	case "", "identity":
	case "gzip", "x-gzip": // net/http decompresses what it asked for itself; other base transports need not
		z, err := gzip.NewReader(body)
		if errors.Is(err, io.EOF) {
			return nil, nil // an empty body
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errEncoding, err)
		}
		body = z
	default:
		return nil, fmt.Errorf("%w: %.40q", errEncoding, encoding)
	}
	return io.ReadAll(io.LimitReader(body, f.limit+1))
}

// target is where a redirect leads from u, or why nowhere.
func (a *answer) target(u *url.URL) (*url.URL, error) {
	location := a.header.Get("Location")
	if location == "" {
		return nil, fmt.Errorf("it was answered with %d and no Location", a.status)
	}
	to, err := u.Parse(location)
	if err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return nil, fmt.Errorf("it was answered with %d and the Location %.100q, which leads nowhere", a.status, location)
	}
	to.Fragment, to.RawFragment, to.User = "", "", nil
	if to.Path == "" {
		to.Path = "/"
	}
	return to, nil
}
