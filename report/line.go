package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"time"
)

// The longest texts that a line of the file holds, in bytes. What is longer is cut, and such a line is marked: its URL cannot be asked again.
const (
	maxURL  = 32 << 10
	maxText = 4 << 10
)

// line is one line of a report file as it is read.
type line struct {
	Time     time.Time `json:"time"`
	Host     string    `json:"host"`
	Method   string    `json:"method"`
	URL      string    `json:"url"`
	Reason   Reason    `json:"reason"`
	Rule     string    `json:"rule"`
	Line     int       `json:"line"`
	Waited   float64   `json:"waited"` // seconds
	RetryAt  time.Time `json:"retry_at"`
	Referrer string    `json:"referrer"`
	Detail   string    `json:"detail"`
	Redacted bool      `json:"redacted"` // the URL had secrets, which are not in it any more
	Cut      bool      `json:"cut"`      // the URL was too long and is cut
}

// MarshalJSON gives the skip as it stands in a report file: one line, URLs redacted, times in UTC, waited in seconds, what is empty left out.
func (s Skip) MarshalJSON() ([]byte, error) { return appendLine(nil, &s), nil }

// UnmarshalJSON reads what MarshalJSON and report files hold.
func (s *Skip) UnmarshalJSON(b []byte) error {
	l, err := parseLine(b)
	if err == nil {
		*s = l.skip()
	}
	return err
}

// appendLine appends the skip as a JSON object without a line break. For skips without secrets it allocates nothing but b.
func appendLine(b []byte, s *Skip) []byte {
	u := RedactURL(s.URL)
	b = append(b, '{')
	b = appendTime(b, "time", s.Time)
	b = appendText(b, "host", s.Host, maxText)
	b = appendText(b, "method", s.Method, maxText)
	b = appendURL(b, "url", u)
	b = appendText(b, "reason", string(s.Reason), maxText)
	b = appendText(b, "rule", s.Rule, maxText)
	if s.Line != 0 {
		b = strconv.AppendInt(appendKey(b, "line"), int64(s.Line), 10)
	}
	if s.Waited > 0 {
		b = strconv.AppendFloat(appendKey(b, "waited"), s.Waited.Seconds(), 'f', -1, 64)
	}
	b = appendTime(b, "retry_at", s.RetryAt)
	b = appendURL(b, "referrer", RedactURL(s.Referrer))
	b = appendText(b, "detail", s.Detail, maxText)
	if u != s.URL {
		b = append(appendKey(b, "redacted"), "true"...)
	}
	if len(u) > maxURL {
		b = append(appendKey(b, "cut"), "true"...)
	}
	return append(b, '}')
}

func appendKey(b []byte, key string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, key...)
	return append(b, '"', ':')
}

func appendTime(b []byte, key string, t time.Time) []byte {
	t = t.UTC()
	if t.IsZero() || t.Year() < 0 || t.Year() > 9999 { // RFC 3339 has no more digits
		return b
	}
	b = append(appendKey(b, key), '"')
	return append(t.AppendFormat(b, time.RFC3339Nano), '"')
}

func appendText(b []byte, key, text string, most int) []byte {
	if text == "" {
		return b
	}
	return appendString(appendKey(b, key), text[:min(len(text), most)], false)
}

func appendURL(b []byte, key, u string) []byte {
	if u == "" {
		return b
	}
	return appendString(appendKey(b, key), u[:min(len(u), maxURL)], true)
}

// parseLine reads one line. The error says what is wrong with it.
func parseLine(b []byte) (line, error) {
	var l line
	if err := json.Unmarshal(b, &l); err != nil {
		return line{}, err
	}
	switch {
	case l.Reason == "":
		return line{}, errors.New("it has no reason")
	case math.Abs(l.Waited) > 1e9:
		return line{}, fmt.Errorf("waited is %g", l.Waited)
	}
	return l, nil
}

func (l *line) skip() Skip {
	return Skip{Time: l.Time, URL: l.URL, Method: l.Method, Host: l.Host, Reason: l.Reason, Detail: l.Detail, Line: l.Line, Rule: l.Rule,
		RetryAt: l.RetryAt, Waited: time.Duration(math.Round(l.Waited * 1e9)), Referrer: l.Referrer}
}

// askable is nil if the line names a request that can be made again as it was.
func (l *line) askable() error {
	u, err := url.Parse(l.URL)
	switch {
	case l.Cut:
		return errors.New("its URL was too long to be kept")
	case l.Redacted:
		return errors.New("its URL was kept without its secrets")
	case err != nil:
		return err
	case u.Scheme == "" || u.Host == "":
		return fmt.Errorf("%q is no whole URL", l.URL)
	}
	return nil
}
