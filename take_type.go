package etiquette

import (
	"errors"
	"io"
	"net/http"
	"strings"
)

// sniffed is how many bytes tell what a body without a type is.
const sniffed = 512

// typeOf is the media type of an answer, in lower case and without parameters; empty: there is nothing to judge. Where the header says none, or nothing
// that is one, the body's first bytes do (RFC 9110, 8.3 leaves it to the recipient), and are put back in front of it.
func typeOf(resp *http.Response) string {
	said, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	if said = strings.ToLower(strings.TrimSpace(said)); isType(said) {
		return said
	}
	if resp.Body == http.NoBody {
		return ""
	}
	head := make([]byte, sniffed)
	n, err := io.ReadFull(resp.Body, head)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	resp.Body = &replayed{ReadCloser: resp.Body, head: head[:n], err: err}
	if n == 0 {
		return ""
	}
	looks, _, _ := strings.Cut(http.DetectContentType(head[:n]), ";")
	return looks
}

// replayed is a body whose first bytes were read already.
type replayed struct {
	io.ReadCloser
	head []byte
	err  error // what came behind them; nil: the rest is still to be read
}

func (b *replayed) Read(p []byte) (int, error) {
	if len(b.head) > 0 {
		n := copy(p, b.head)
		b.head = b.head[n:]
		return n, nil
	}
	if b.err != nil {
		return 0, b.err
	}
	return b.ReadCloser.Read(p)
}

// isType reports whether s is a media type: two tokens with a "/" between them (RFC 9110, 8.3.1).
func isType(s string) bool {
	family, sub, ok := strings.Cut(s, "/")
	return ok && isToken(family) && isToken(sub) && !strings.Contains(s, "*")
}

// isTypePattern is isType for what a policy says: the second part, or both, may be "*".
func isTypePattern(s string) bool {
	family, sub, ok := strings.Cut(s, "/")
	if !ok || !isToken(family) || !isToken(sub) {
		return false
	}
	return (sub == "*" || !strings.Contains(sub, "*")) && (!strings.Contains(family, "*") || s == "*/*")
}

func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}
