package killswitch

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// perMinute is how many calls a minute of one kind that are kept out are put into the audit log. As many wrong tokens are answered with a 401; further
	// ones get a 429.
	perMinute = 5
	// maxTokenFile bounds Options.TokenFile, in bytes.
	maxTokenFile = 64 << 10
)

// callGuard counts calls that are kept out. One that may come in never waits for it, so that nobody can keep an operator out by guessing.
type callGuard struct {
	mu     sync.Mutex           // guards counts
	counts map[string]callCount // by why they are kept out, one of a few texts of ours
}

type callCount struct {
	minute time.Time // when the count began
	n      int
}

// count counts one call. n includes it; wait is how long it is until the count begins anew.
func (g *callGuard) count(why string, now time.Time) (n int, wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.counts == nil {
		g.counts = make(map[string]callCount)
	}
	c := g.counts[why]
	if c.n == 0 || now.Sub(c.minute) >= time.Minute {
		c = callCount{minute: now}
	}
	c.n++
	g.counts[why] = c
	return c.n, c.minute.Add(time.Minute).Sub(now)
}

// guarded lets only those in who may come in. Nothing of a body is read before that, and none for ever.
func (s *Switch) guarded(inner http.Handler) http.Handler {
	var browsers http.CrossOriginProtection
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		if r.Body != nil && r.Body != http.NoBody {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(adminBodyTime)) // a server that cannot has its own
			r.Body = http.MaxBytesReader(w, r.Body, maxAdminBody)
		}
		tokens := s.tokens()
		switch {
		case len(tokens) == 0:
			unauthorized(w, "no token lets anybody in: set Token or TokenFile of the kill switch's options to one of 32 bytes at least")
		case !s.opts.BehindProxy && !private(r):
			s.denied(r, "insecure connection")
			fail(w, http.StatusForbidden, "the call must come over TLS, a Unix socket or loopback, without a proxy unless Options.BehindProxy is set")
		case browsers.Check(r) != nil || crossSite(r):
			s.denied(r, "cross-site request")
			fail(w, http.StatusForbidden, "the call was made by a page of another site")
		case !bears(r, tokens):
			s.wrongToken(w, r)
		case r.URL.RawPath != "" || path.Clean(r.URL.Path) != r.URL.Path:
			fail(w, http.StatusBadRequest, "the path is not plain")
		default:
			s.use()
			inner.ServeHTTP(w, r)
		}
	})
}

// crossSite is what CrossOriginProtection leaves: reading calls, which change nothing but would tell another site's page whom we crawl.
func crossSite(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "cross-site" || site == "same-site"
}

func (s *Switch) wrongToken(w http.ResponseWriter, r *http.Request) {
	n, wait := s.denied(r, "wrong or no token")
	if n <= perMinute {
		unauthorized(w, "a token is needed: Authorization: Bearer ...")
		return
	}
	w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
	fail(w, http.StatusTooManyRequests, "too many wrong tokens")
}

// denied records a call that is kept out, so that nobody can fill the disk with the record: those beyond a few a minute are only counted.
func (s *Switch) denied(r *http.Request, why string) (n int, wait time.Duration) {
	n, wait = s.guard.count(why, time.Now())
	if n > perMinute+1 {
		return n, wait
	}
	if n == perMinute+1 {
		why += "; further ones of this minute are not listed"
	}
	s.log().Warn("killswitch: endpoint refused a call", "from", r.RemoteAddr, "method", r.Method, "path", short(r.URL.Path), "why", why)
	s.audit(event{Event: "auth.fail", Actor: r.RemoteAddr, Source: FromEndpoint, Detail: why})
	return n, wait
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
