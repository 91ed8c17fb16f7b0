package killswitch

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

const (
	// wrongTokens is how many wrong tokens a minute are answered with a 401 and put into the audit log; further ones get a 429.
	wrongTokens = 5
	// maxTokenFile bounds Options.TokenFile, in bytes.
	maxTokenFile = 64 << 10
)

// tokenGuard counts wrong tokens. A right one never waits for it, so that nobody can keep an operator out by guessing.
type tokenGuard struct {
	mu     sync.Mutex // guards what follows
	minute time.Time  // when the count began
	wrong  int
}

// strike counts one wrong token and reports whether it is one too many. The number includes it.
func (g *tokenGuard) strike(now time.Time) (n int, wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now.Sub(g.minute) >= time.Minute {
		g.minute, g.wrong = now, 0
	}
	g.wrong++
	if g.wrong <= wrongTokens {
		return g.wrong, 0
	}
	return g.wrong, g.minute.Add(time.Minute).Sub(now)
}

// tokens are the hashes of the tokens that are let in.
func (s *Switch) tokens() [][sha256.Size]byte {
	var out [][sha256.Size]byte
	if s.opts.Token != "" {
		out = append(out, sha256.Sum256([]byte(s.opts.Token)))
	}
	if s.opts.TokenFile == "" {
		return out
	}
	text, err := readFile(s.tokenPath, maxTokenFile)
	if err != nil {
		s.log().Error("killswitch: the token file cannot be read", "file", s.opts.TokenFile, "err", err)
		return out
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) // as in stop files
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); len(line) >= minToken {
			out = append(out, sha256.Sum256([]byte(line)))
		} else if line != "" {
			s.log().Error("killswitch: a token is too short and lets nobody in", "file", s.opts.TokenFile, "bytes", len(line), "least", minToken)
		}
	}
	return out
}

// bears reports whether the call carries one of the tokens. Hashes are compared, in constant time, so that the answer's time tells nothing.
func bears(r *http.Request, tokens [][sha256.Size]byte) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	ok := 0
	for _, t := range tokens {
		ok |= subtle.ConstantTimeCompare(sum[:], t[:])
	}
	return ok == 1 && strings.EqualFold(scheme, "Bearer") && len(r.Header["Authorization"]) == 1
}

// private reports whether nobody else can read what the call carries: it came over TLS, a Unix socket or the loopback interface, and not by way of a
// proxy that may have taken it from anywhere.
func private(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	for _, by := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if len(r.Header[by]) > 0 {
			return false
		}
	}
	if a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && strings.HasPrefix(a.Network(), "unix") {
		return true
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && peer.Addr().Unmap().IsLoopback()
}
