package etiquette

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/report"
)

// ErrUnwanted matches, with errors.Is, the error of every answer whose transfer was broken off because of Policy.Take.
var ErrUnwanted = errors.New("etiquette: unwanted")

// UnwantedError is the error of an answer that Policy.Take does not want: its type, its size or its declared size. The request was sent, the answer
// was not taken. It matches [ErrUnwanted].
type UnwantedError struct {
	URL, Method, Host string
	Status            int    // of the answer
	Referrer          string // the Referer that was sent; empty: none

	// ContentType is the type that is not taken, and Types what is. Empty: the type is not what was wrong.
	ContentType string
	Types       []string
	// Bytes is the length that the answer declared, zero if it declared none, and MaxBytes what is taken. Zero: the size is not what was wrong.
	Bytes, MaxBytes int64
	// Cut is true for a body that had more than MaxBytes: so many had been read.
	Cut bool
}

func (e *UnwantedError) Error() string { return "etiquette: " + e.URL + " not taken: " + e.detail() }

// Is makes the error match ErrUnwanted.
func (e *UnwantedError) Is(target error) bool { return target == ErrUnwanted }

func (e *UnwantedError) detail() string {
	switch {
	case e.ContentType != "":
		return fmt.Sprintf("it is %s, and Policy.Take has %s", e.ContentType, strings.Join(e.Types, ", "))
	case e.Cut:
		return fmt.Sprintf("its body has more than the %d bytes of Policy.Take", e.MaxBytes)
	}
	return fmt.Sprintf("it has %d bytes, and Policy.Take has %d at most", e.Bytes, e.MaxBytes)
}

// Skip implements report.Refusal.
func (e *UnwantedError) Skip() report.Skip {
	s := report.Skip{Time: time.Now(), URL: e.URL, Method: e.Method, Host: e.Host, Reason: report.Unwanted, Detail: e.detail(), Referrer: e.Referrer}
	if e.Status/100 != 2 {
		s.RetryAt = s.Time.Add(retryTooLarge)
	}
	return s
}

// fill says what was asked for.
func (e *UnwantedError) fill(h *chain.Hop, status int) {
	e.URL, e.Method, e.Status = h.URL().Redacted(), h.Method(), status
	e.Host, _ = h.HostKey()
	if u, err := url.Parse(h.Header().Get("Referer")); err == nil {
		e.Referrer = u.Redacted()
	}
}
