package page

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
)

// admin is the kill switch's endpoint. The page calls it in the name of its own caller, over the same connection as it were, and with the token that was
// typed in. So who may stop and lift is decided in one place.
type admin struct{ endpoint http.Handler }

// adminAnswer is what the endpoint said.
type adminAnswer struct {
	status     int
	retryAfter string

	ID      string `json:"id"`
	Warning string `json:"warning"`
	Error   string `json:"error"`
}

// call makes one call. body nil: none.
func (a admin) call(r *http.Request, token, method, target string, body any) adminAnswer {
	text := []byte(nil)
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return adminAnswer{status: http.StatusBadRequest, Error: err.Error()}
		}
	}
	u, err := url.Parse(target)
	if err != nil {
		return adminAnswer{status: http.StatusBadRequest, Error: err.Error()}
	}
	q := r.Clone(r.Context())
	q.Method, q.URL, q.RequestURI = method, u, target
	q.Body, q.ContentLength, q.TransferEncoding = http.NoBody, int64(len(text)), nil
	if body != nil {
		q.Body = io.NopCloser(bytes.NewReader(text))
	}
	q.Header.Set("Authorization", "Bearer "+token)
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json")
	w := &recorder{header: make(http.Header), status: http.StatusOK}
	a.endpoint.ServeHTTP(w, q)
	out := adminAnswer{status: w.status, retryAfter: w.header.Get("Retry-After")}
	if err := json.Unmarshal(w.body.Bytes(), &out); err != nil && out.Error == "" {
		out.Error = "the kill switch's answer cannot be read"
	}
	return out
}

// pageStatus is the status for a browser: a 401 would need a challenge that no form can meet.
func (a *adminAnswer) pageStatus(w http.ResponseWriter) int {
	if a.retryAfter != "" {
		w.Header().Set("Retry-After", a.retryAfter)
	}
	if a.status == http.StatusUnauthorized {
		return http.StatusForbidden
	}
	return a.status
}

// pass answers with what the endpoint said.
func (a *adminAnswer) pass(w http.ResponseWriter) {
	http.Error(w, a.Error, a.pageStatus(w))
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header            { return w.header }
func (w *recorder) WriteHeader(status int)         { w.status = status }
func (w *recorder) Write(text []byte) (int, error) { return w.body.Write(text) }
