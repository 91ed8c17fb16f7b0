package killswitch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
)

// errSlow is the error of a body that did not come in time.
var errSlow = errors.New("killswitch: slow body")

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
