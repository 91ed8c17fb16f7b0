package collyrobots

import (
	"bytes"
	"compress/flate"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// heldCopy is a robots.txt in memory: its text packed, and its rules compiled for each product token that asked.
type heldCopy struct {
	Copy             // with Body nil
	refreshAt        time.Time
	packed           []byte
	deflated         bool
	compiledBytes    atomic.Int64
	compiled         atomic.Pointer[[]compiledFor]
	compiling        sync.Mutex // held while rules are compiled, so that it is done once
	crawlDelayWarned atomic.Bool
}

type compiledFor struct {
	token string // folded; "": the "*" group
	rules *Rules
}

const (
	// refreshShare of a copy's life is over when the next request starts a refresh.
	refreshNumerator, refreshDenominator = 4, 5
	// manyTokens is for how many product tokens the rules of one origin are kept.
	manyTokens = 8
	// smallBody is kept as it is: packing it saves nothing.
	smallBody = 512
)

func holdCopy(c Copy) *heldCopy {
	h := &heldCopy{Copy: c, refreshAt: c.FetchedAt.Add(c.ExpiresAt.Sub(c.FetchedAt) / refreshDenominator * refreshNumerator)}
	h.packed, h.deflated = deflate(c.Body)
	h.Body = nil
	return h
}

// renewed is the same copy with another life, after the site said that it is unchanged.
func (h *heldCopy) renewed(meta Copy) *heldCopy {
	next := &heldCopy{Copy: meta, packed: h.packed, deflated: h.deflated}
	next.refreshAt = meta.FetchedAt.Add(meta.ExpiresAt.Sub(meta.FetchedAt) / refreshDenominator * refreshNumerator)
	next.compiled.Store(h.compiled.Load())
	next.compiledBytes.Store(h.compiledBytes.Load())
	next.crawlDelayWarned.Store(h.crawlDelayWarned.Load())
	return next
}

// known is the rules for a token if they have been compiled; nil if not.
func (h *heldCopy) known(token string) *Rules {
	if all := h.compiled.Load(); all != nil {
		for i := range *all {
			if (*all)[i].token == token {
				return (*all)[i].rules
			}
		}
	}
	return nil
}

// rules is the rules for a token. They are compiled at the first request that is sent under it.
func (h *heldCopy) rules(token string, o *Options) *Rules {
	if r := h.known(token); r != nil {
		return r
	}
	h.compiling.Lock()
	defer h.compiling.Unlock()
	if r := h.known(token); r != nil {
		return r
	}
	r := compileWithin(int(o.MaxBody), h.body(), token, o.AlsoObey)
	next := []compiledFor{{token, r}}
	if all := h.compiled.Load(); all != nil {
		next = append(next, (*all)[:min(len(*all), manyTokens-1)]...)
	}
	h.compiled.Store(&next)
	n := 0
	for _, c := range next {
		n += c.rules.bytes()
	}
	h.compiledBytes.Store(int64(n))
	return r
}

// body is the text.
func (h *heldCopy) body() []byte {
	if !h.deflated {
		return h.packed
	}
	b, _ := io.ReadAll(flate.NewReader(bytes.NewReader(h.packed))) // what we packed ourselves
	return b
}

func (h *heldCopy) bytes() int64 {
	return int64(320+len(h.packed)+len(h.URL)+len(h.ETag)+len(h.LastModified)) + h.compiledBytes.Load()
}

var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // the level is valid
	return w
}}

// deflate packs body if that saves anything.
func deflate(body []byte) ([]byte, bool) {
	if len(body) > smallBody {
		var b bytes.Buffer
		w := deflaters.Get().(*flate.Writer)
		defer deflaters.Put(w)
		w.Reset(&b)
		_, _ = w.Write(body) // a bytes.Buffer takes all
		_ = w.Close()
		if b.Len() < len(body)*3/4 {
			return bytes.Clone(b.Bytes()), true
		}
	}
	return bytes.Clone(body), false
}

// looksLikeHTML reports whether body is a page: its first octet that is no blank and no byte order mark is "<".
func looksLikeHTML(body []byte) bool {
	body = bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF")), " \t\r\n")
	return len(body) > 0 && body[0] == '<'
}
