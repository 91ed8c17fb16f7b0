package throttle

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// item is a request as Colly's queue serialises it. It is kept as it came.
type item string

// head is what the frontier must know of a request.
type head struct {
	url    *url.URL // with the Host that will be sent
	method string
	host   string // owns the spacing; empty for a scheme that is no web
}

// head reads what the frontier must know. Colly sends the Host of the serialised headers; the field Host is lost on the way through a queue.
func (it item) head() (head, error) {
	var text struct {
		URL, Method string
		Headers     http.Header
	}
	if err := json.Unmarshal([]byte(it), &text); err != nil {
		return head{}, fmt.Errorf("throttle: the frontier cannot read a request: %w", err)
	}
	u, err := url.Parse(text.URL)
	if err != nil {
		return head{}, fmt.Errorf("throttle: the frontier cannot read a request: %w", err)
	}
	if host := text.Headers.Get("Host"); host != "" {
		u.Host = host
	}
	h := head{url: u, method: text.Method}
	if h.method == "" {
		h.method = http.MethodGet
	}
	h.host, _ = origin.HostKey(u)
	return h, nil
}
