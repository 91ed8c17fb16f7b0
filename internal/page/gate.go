package page

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/collyetiquette/etiquette/internal/origin"
)

const (
	maxForm  = 64 << 10 // bytes
	formTime = 5 * time.Second
)

// policy is what the browser may load for a page: our own style, script and icon, and nothing else from anywhere.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guarded lets only those in who may read, see the package comment.
func (h *handler) guarded(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", policy)
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Cache-Control", "no-store")
		local := !h.crawl.BehindProxy && onThisMachine(r)
		switch {
		case foreign(r):
			http.Error(w, "the call was made by a page of another site", http.StatusForbidden)
		case local && namesThisMachine(r):
			inner.ServeHTTP(w, r)
		case local && r.TLS == nil:
			http.Error(w, "this page answers to localhost and to loopback addresses only: it was asked for by another name", http.StatusMisdirectedRequest)
		case h.lets(w, r):
			inner.ServeHTTP(w, r)
		}
	})
}

// foreign reports whether another site's page made the browser ask, other than by a link that a person follows: what changes nothing, too, would tell that
// page whom we crawl. (POSTs are CrossOriginProtection's.)
func foreign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		return r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document"
	}
	return false
}

// onThisMachine reports whether the call came over loopback or a Unix socket, and not by way of a proxy that may have taken it from anywhere.
func onThisMachine(r *http.Request) bool {
	for _, by := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if len(r.Header[by]) > 0 {
			return false
		}
	}
	if overUnix(r) {
		return true
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && peer.Addr().Unmap().IsLoopback()
}

func overUnix(r *http.Request) bool {
	a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && strings.HasPrefix(a.Network(), "unix")
}

// namesThisMachine reports whether the Host is a name that can only mean this machine: no stranger can point it elsewhere, or here. No browser asks over a
// Unix socket.
func namesThisMachine(r *http.Request) bool {
	if overUnix(r) {
		return true
	}
	key, err := origin.HostKeyOf(r.Host)
	return err == nil && origin.IsLoopback(key)
}

// lets asks a caller from elsewhere for the token, and the kill switch's endpoint whether it is one. If not, it answers.
func (h *handler) lets(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case !h.crawl.Token:
		http.Error(w, "this page is shown to who is on the same machine; to show it elsewhere, configure a token for the kill switch", http.StatusForbidden)
		return false
	case r.TLS == nil && !h.crawl.BehindProxy:
		http.Error(w, "the call must come over TLS or loopback, without a proxy unless the kill switch's Options.BehindProxy is set", http.StatusForbidden)
		return false
	}
	_, token, given := r.BasicAuth()
	why := "a token is needed"
	if given {
		a := h.admin.call(r, token, http.MethodGet, "/v1/check?url=http://localhost/", nil)
		switch {
		case a.status == http.StatusOK:
			return true
		case a.status != http.StatusUnauthorized:
			a.pass(w)
			return false
		}
		why = a.Error
	}
	w.Header().Set("WWW-Authenticate", `Basic realm="the token of the kill switch, as the password", charset="UTF-8"`)
	http.Error(w, why, http.StatusUnauthorized)
	return false
}

// bounded reads no form that is larger than it can be, and waits for none for ever.
func bounded(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			inner.ServeHTTP(w, r)
			return
		}
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Now().Add(formTime)) // a server that cannot has its own
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil {
			w.Header().Set("Connection", "close")
			http.Error(w, "the form could not be read: "+err.Error(), http.StatusBadRequest)
			return
		}
		_ = control.SetReadDeadline(time.Time{})
		inner.ServeHTTP(w, r)
	})
}
