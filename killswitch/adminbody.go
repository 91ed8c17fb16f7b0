package killswitch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// errSlow is the error of a body that did not come in time.
var errSlow = errors.New("killswitch: slow body")

// readCall reads a body whole: one JSON object with nothing unknown in it.
func readCall(w http.ResponseWriter, r *http.Request, into any) bool {
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); strings.TrimSpace(kind) != "application/json" {
		fail(w, http.StatusUnsupportedMediaType, "the body must be application/json")
		return false
	}
	text, err := readAll(r)
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &big):
		fail(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes", maxAdminBody))
	case errors.Is(err, errSlow):
		fail(w, http.StatusRequestTimeout, fmt.Sprintf("the body did not come within %s", adminBodyTime))
	case err != nil:
		fail(w, http.StatusBadRequest, "the body could not be read")
	default:
		if err = strictJSON(text, into); err == nil {
			return true
		}
		fail(w, http.StatusBadRequest, "the body is not what it must be: "+err.Error())
	}
	return false
}

func readAll(r *http.Request) ([]byte, error) {
	text, err := io.ReadAll(r.Body)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, errSlow
	}
	return text, err
}

// strictJSON reads one object into v: no unknown field, no field twice, no other spelling of a name, nothing behind it.
func strictJSON(text []byte, v any) error {
	ms, err := members(text)
	if err != nil {
		return err
	}
	seen := make(map[string]bool, len(ms))
	for _, m := range ms {
		if seen[m.key] {
			return errors.New("field " + m.key + " stands there twice")
		}
		seen[m.key] = true
		if m.key != strings.ToLower(m.key) {
			return errors.New("field " + m.key + " must be written in lower case")
		}
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}
