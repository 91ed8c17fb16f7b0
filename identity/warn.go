package identity

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"weak"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/internal/token"
)

// warned holds the collectors whose log has the warning already; it does not keep them alive.
type warned struct{ m sync.Map } // weak.Pointer[chain.Chain] -> struct{}

// first reports whether c was not seen before.
func (w *warned) first(c *chain.Chain) bool {
	key := weak.Make(c)
	if _, seen := w.m.LoadOrStore(key, struct{}{}); seen {
		return false
	}
	runtime.AddCleanup(c, func(key weak.Pointer[chain.Chain]) { w.m.Delete(key) }, key)
	return true
}

// warnOnce says once per collector that a header was overwritten, and what most likely set it.
func (l *layer) warnOnce(c *chain.Chain, key, got string) {
	if l.warned.first(c) {
		l.Log().Warn("identity: the declared "+key+" was sent in place of another: "+likelyCause(key, got), "header", key, "got", short(got))
	}
}

func mismatch(key, got string) Problem {
	if key == userAgentKey && strings.TrimSpace(got) == "" {
		return Problem{CodeEmpty, "the request came with an empty User-Agent: " + likelyCause(key, got)}
	}
	return Problem{CodeMismatch, fmt.Sprintf("%s %q is not the declared one: %s", key, short(got), likelyCause(key, got))}
}

// likelyCause guesses from a header's value where it comes from.
func likelyCause(key, got string) string {
	if key == fromKey {
		return "take From out of the callback or c.Headers that sets it, and put the address into Options.From"
	}
	name, err := token.FromUserAgent(got)
	switch {
	case strings.TrimSpace(got) == "":
		return "c.UserAgent was emptied after Attach, or a callback clears the header"
	case err == token.ErrBrowser:
		return "extensions.RandomUserAgent or another OnRequest callback sets a browser's name; take it out, or use Options.BrowserLike"
	case token.Equal(name, "colly"):
		return "the request was made before Attach, or c.Init was called after it"
	}
	return "c.UserAgent was set after Attach, or an OnRequest callback sets the header; take it out, or use Options.PerHost"
}
