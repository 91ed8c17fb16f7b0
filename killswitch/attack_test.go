package killswitch

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Whoever is kept out must not be able to fill the disk with the record of it.
func TestAFloodOfCallsThatAreKeptOutIsListedByTheMinute(t *testing.T) {
	for name, c := range map[string]call{
		"insecure":   {method: "GET", path: "/v1/rules", remote: "203.0.113.5:1"},
		"cross-site": {method: "GET", path: "/v1/rules", header: map[string]string{"Sec-Fetch-Site": "cross-site"}},
		"proxied":    {method: "GET", path: "/v1/rules", header: map[string]string{"Via": "1.1 x"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				s := newSwitch(t, Options{Token: testToken, StateDir: dir})
				h := s.Handler()
				for range 1000 {
					if w := c.do(t, h); w.Code != 403 {
						t.Fatalf("%d, want 403", w.Code)
					}
				}
				if w := (call{method: "GET", path: "/v1/rules"}).do(t, h); w.Code != 200 {
					t.Errorf("the right call meanwhile = %d, want 200", w.Code)
				}
				time.Sleep(time.Minute)
				c.do(t, h)
				audit, _ := os.ReadFile(filepath.Join(dir, auditFile))
				if n := bytes.Count(audit, []byte("auth.fail")); n != perMinute+1+1 {
					t.Errorf("%d auth.fail records for 1001 calls, want %d", n, perMinute+1+1)
				}
			})
		})
	}
}

func TestARuleOfAStopFileCanBePostedAsItIs(t *testing.T) {
	s := newSwitch(t, Options{Token: testToken})
	h := s.Handler()
	const body = `{"id": "ks-1", "host": "a.test", "port": 8080, "scheme": "http", "path": "/x", "action": "drain", "until": "2100-01-01T01:00:00+01:00",
		"reason": "asked", "ticket": "OPS-1", "created": "2026-11-30T09:12:00Z"}`
	if w := (call{method: "POST", path: "/v1/rules", body: body}).do(t, h); w.Code != 200 {
		t.Errorf("POST = %d %s, want 200", w.Code, w.Body)
	}
	if got := s.Rules(); len(got) != 1 || got[0].Until.Year() != 2100 || got[0].Until.Hour() != 0 {
		t.Errorf("rules %+v, want the one, until midnight UTC", got)
	}
	for _, bad := range []string{`"yesterday"`, `5`, `"2026-11-30T09:12:00"`} {
		w := call{method: "POST", path: "/v1/rules", body: `{"host": "b.test", "reason": "x", "created": ` + bad + `}`}.do(t, h)
		if w.Code != 400 {
			t.Errorf("POST with created %s = %d, want 400", bad, w.Code)
		}
	}
}

// A reason comes from outside, and reports are read in terminals and pasted into mails.
func TestAReportHoldsNothingThatATerminalObeys(t *testing.T) {
	s := newSwitch(t, Options{})
	id := mustStop(t, s, Rule{Host: "a.test", Reason: "asked\r\nlast request: none\x1b[2J\u202e\u0085x\x00", Ticket: "OPS\x07-1\u2028z"})
	rep, err := s.Report(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.SplitAfter(rep.String(), "\n") {
		for _, r := range strings.TrimSuffix(line, "\n") {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\u2028' {
				t.Errorf("line %q holds %U", line, r)
			}
		}
	}
	if got := strings.Count(rep.String(), "\nlast request:"); got != 1 {
		t.Errorf("%d lines about the last request, want 1:\n%s", got, rep)
	}
}

// Over a real connection, as an attacker would send it.
func TestOddRequestsOverTheWire(t *testing.T) {
	s := newSwitch(t, Options{Token: testToken})
	srv := httptest.NewServer(s.Handler())
	defer srv.Close()
	const auth = "Authorization: Bearer " + testToken + "\r\n"
	const rule = `{"id": "x", "host": "a.test", "reason": "asked"}`
	post := func(head, body string) string {
		return "POST /v1/rules HTTP/1.1\r\nHost: x\r\n" + head + "Content-Type: application/json\r\n" + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)) + body
	}
	for _, x := range []struct {
		name, text string
		want       int
	}{
		{"two Authorization fields, the right one first", post(auth+"Authorization: Bearer x\r\n", rule), 401},
		{"two Authorization fields, the right one last", post("Authorization: Bearer x\r\n"+auth, rule), 401},
		{"two in one field", post("Authorization: Bearer "+testToken+", Bearer x\r\n", rule), 401},
		{"the token twice", post("Authorization: Bearer "+testToken+" "+testToken+"\r\n", rule), 401},
		{"the token and more", post("Authorization: Bearer "+testToken+"x\r\n", rule), 401},
		{"the token in another field", post("X-Authorization: Bearer "+testToken+"\r\nProxy-Authorization: Bearer "+testToken+"\r\n", rule), 401},
		{"the token in a cookie", post("Cookie: Authorization=Bearer "+testToken+"; token="+testToken+"\r\n", rule), 401},
		{"another method by a header", post("X-HTTP-Method-Override: DELETE\r\n", rule), 401},
		{"an origin of null", post(auth+"Origin: null\r\n", rule), 403},
		{"an origin on another port", post(auth+"Origin: http://x:1\r\n", rule), 403},
		{"same site", post(auth+"Sec-Fetch-Site: same-site\r\n", rule), 403},
		{"a forwarded loopback", post(auth+"X-Forwarded-For: 127.0.0.1\r\n", rule), 403},
		{"forwarded", post(auth+"Forwarded: for=127.0.0.1\r\n", rule), 403},
		{"a preflight", "OPTIONS /v1/rules HTTP/1.1\r\nHost: x\r\nOrigin: https://evil.test\r\nAccess-Control-Request-Method: POST\r\n\r\n", 401},
		{"an absolute target", "GET http://evil.test/v1/rules HTTP/1.1\r\nHost: evil.test\r\n" + auth + "\r\n", 200},
		{"dots in the target", "DELETE /v1/rules/x/../x HTTP/1.1\r\nHost: x\r\n" + auth + "\r\n", 400},
		{"escaped dots in the target", "GET /v1/rules/%2e%2e/rules HTTP/1.1\r\nHost: x\r\n" + auth + "\r\n", 400},
		{"a slash at the end", "GET /v1/rules/ HTTP/1.1\r\nHost: x\r\n" + auth + "\r\n", 400},
		{"an escaped letter", "GET /v1/rule%73 HTTP/1.1\r\nHost: x\r\n" + auth + "\r\n", 400},
		{"a semicolon", "GET /v1/rules;x HTTP/1.1\r\nHost: x\r\n" + auth + "\r\n", 404},
		{"chunks", "POST /v1/rules HTTP/1.1\r\nHost: x\r\n" + auth + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
			"100000\r\n" + strings.Repeat("x", 0x100000) + "\r\n0\r\n\r\n", 413},
	} {
		conn, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		go io.WriteString(conn, x.text)
		answer := make([]byte, len("HTTP/1.1 200"))
		_, err = io.ReadFull(conn, answer)
		conn.Close()
		if want := fmt.Sprint("HTTP/1.1 ", x.want); err != nil || string(answer) != want && !(x.want == 401 && string(answer) == "HTTP/1.1 429") {
			t.Errorf("%s = %q, %v, want %q", x.name, answer, err, want)
		}
	}
	if got := s.Rules(); len(got) != 0 {
		t.Errorf("rules %+v in force, want none", got)
	}
}
