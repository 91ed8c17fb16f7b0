package killswitch

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const testToken = "0123456789abcdef0123456789abcdef"

type call struct {
	method, path, body string
	header             map[string]string
	remote             string // empty: loopback
	tls                bool
}

func (c call) do(t testing.TB, h http.Handler) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(c.method, "http://admin.test/", strings.NewReader(c.body))
	if c.body == "" {
		r.Body = http.NoBody
	}
	u := mustURL(t, "http://admin.test"+c.path)
	r.URL, r.RequestURI = u, c.path
	r.RemoteAddr = c.remote
	if r.RemoteAddr == "" {
		r.RemoteAddr = "127.0.0.1:5555"
	}
	if c.tls {
		r.TLS = &tls.ConnectionState{}
	}
	r.Header.Set("Authorization", "Bearer "+testToken)
	r.Header.Set("Content-Type", "application/json")
	for k, v := range c.header {
		if v == "" {
			r.Header.Del(k)
		} else {
			r.Header.Set(k, v)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestTheEndpointStopsReportsAndLifts(t *testing.T) {
	s := newSwitch(t, Options{Token: testToken})
	h := s.Handler()
	body := `{"id": "ks-1", "host": "A.test", "reason": "asked", "ticket": "OPS-1", "ttl": "72h"}`
	if w := (call{method: "POST", path: "/v1/rules", body: body}).do(t, h); w.Code != 200 {
		t.Fatalf("POST = %d %s, want 200", w.Code, w.Body)
	}
	r, is := s.Check(mustURL(t, "http://a.test/"))
	if in := time.Until(r.Until); !is || in < 71*time.Hour || in > 72*time.Hour {
		t.Errorf("Check = %+v, %v, want stopped for 72h", r, is)
	}
	for _, x := range []struct {
		c    call
		want int
		in   string
	}{
		{call{method: "GET", path: "/v1/rules"}, 200, `"ks-1"`},
		{call{method: "GET", path: "/v1/rules/ks-1/report"}, 200, `"refused": 0`},
		{call{method: "GET", path: "/v1/rules/ks-1/report", header: map[string]string{"Accept": "text/plain"}}, 200, "ticket:       OPS-1"},
		{call{method: "GET", path: "/v1/check?url=http://a.test/x"}, 200, `"stopped": true`},
		{call{method: "GET", path: "/v1/check?url=http://b.test/x"}, 200, `"stopped": false`},
		{call{method: "GET", path: "/v1/check?url=/x"}, 400, "absolute"},
		{call{method: "POST", path: "/v1/reload"}, 200, "settling"},
		{call{method: "POST", path: "/v1/rules", body: `{"id": "ks-1", "host": "b.test", "reason": "x"}`}, 409, "ks-1"},
		{call{method: "DELETE", path: "/v1/rules/ks-1"}, 400, ""},
		{call{method: "DELETE", path: "/v1/rules/ks-1", body: `{"reason": " "}`}, 400, "reason"},
		{call{method: "DELETE", path: "/v1/rules/nobody", body: `{"reason": "x"}`}, 404, "nobody"},
		{call{method: "DELETE", path: "/v1/rules/ks-1", body: `{"reason": "the owner agreed"}`}, 200, "lifted"},
		{call{method: "GET", path: "/v1/rules/ks-1/report"}, 200, "the owner agreed"},
	} {
		if w := x.c.do(t, h); w.Code != x.want || !strings.Contains(w.Body.String(), x.in) {
			t.Errorf("%s %s %s = %d %s, want %d with %q", x.c.method, x.c.path, x.c.body, w.Code, w.Body, x.want, x.in)
		}
	}
	wantStopped(t, s, false, "http://a.test/")
}

func TestTheSameCallTwiceIsOneRule(t *testing.T) {
	s := newSwitch(t, Options{Token: testToken})
	h := s.Handler()
	for i, fresh := range []string{`"new": true`, `"new": false`} {
		w := call{method: "POST", path: "/v1/rules", body: `{"id": "x", "host": "a.test", "reason": "asked"}`}.do(t, h)
		if w.Code != 200 || !strings.Contains(w.Body.String(), fresh) {
			t.Errorf("call %d = %d %s, want 200 with %s", i+1, w.Code, w.Body, fresh)
		}
	}
}

func TestNobodyIsLetInUntilATokenIsConfigured(t *testing.T) {
	h := newSwitch(t, Options{}).Handler()
	for _, c := range []call{
		{method: "GET", path: "/v1/rules"},
		{method: "GET", path: "/v1/rules", header: map[string]string{"Authorization": "Bearer "}},
		{method: "GET", path: "/v1/rules", header: map[string]string{"Authorization": ""}},
		{method: "GET", path: "/v1/rules", remote: "203.0.113.5:1"},
		{method: "GET", path: "/v1/rules", tls: true},
		{method: "GET", path: "/", header: map[string]string{"Sec-Fetch-Site": "cross-site"}},
	} {
		if w := c.do(t, h); w.Code != 401 || w.Header().Get("WWW-Authenticate") == "" {
			t.Errorf("%+v = %d, want 401 with WWW-Authenticate", c, w.Code)
		}
	}
	if _, err := New(Options{Token: "short"}); err == nil {
		t.Error("New with a token of 5 bytes = nil, want an error")
	}
}

func TestWhoIsKeptOut(t *testing.T) {
	const rule = `{"id": "x", "host": "a.test", "reason": "asked"}`
	post := func(header map[string]string) call {
		return call{method: "POST", path: "/v1/rules", body: rule, header: header}
	}
	remote := func(c call, addr string) call { c.remote = addr; return c }
	for _, x := range []struct {
		name string
		c    call
		want int
	}{
		{"no token", post(map[string]string{"Authorization": ""}), 401},
		{"wrong token", post(map[string]string{"Authorization": "Bearer " + strings.Repeat("x", 32)}), 401},
		{"half a token", post(map[string]string{"Authorization": "Bearer " + testToken[:16]}), 401},
		{"token in Basic", post(map[string]string{"Authorization": "Basic " + testToken}), 401},
		{"no scheme", post(map[string]string{"Authorization": testToken}), 401},
		{"token in the URL", call{method: "GET", path: "/v1/rules?token=" + testToken, header: map[string]string{"Authorization": ""}}, 401},
		{"plain from afar", remote(post(nil), "203.0.113.5:1234"), 403},
		{"plain from afar, IPv6", remote(post(nil), "[2001:db8::1]:1234"), 403},
		{"no address", remote(post(nil), "@"), 403},
		{"a proxy on this machine", post(map[string]string{"X-Forwarded-For": "203.0.113.5"}), 403},
		{"another site, Sec-Fetch-Site", post(map[string]string{"Sec-Fetch-Site": "cross-site"}), 403},
		{"another site, Origin", post(map[string]string{"Origin": "https://evil.test"}), 403},
		{"another site, reading", call{method: "GET", path: "/v1/rules", header: map[string]string{"Sec-Fetch-Site": "cross-site"}}, 403},
		{"another site without a token", post(map[string]string{"Sec-Fetch-Site": "cross-site", "Authorization": ""}), 403},
		{"a form", post(map[string]string{"Content-Type": "application/x-www-form-urlencoded"}), 415},
		{"plain text", post(map[string]string{"Content-Type": "text/plain"}), 415},
		{"no type", post(map[string]string{"Content-Type": ""}), 415},
		{"1 MiB", call{method: "POST", path: "/v1/rules", body: `{"reason": "` + strings.Repeat("x", 1<<20) + `"}`}, 413},
		{"unknown field", call{method: "POST", path: "/v1/rules", body: `{"host": "a.test", "reason": "x", "hots": 1}`}, 400},
		{"a field in capitals", call{method: "POST", path: "/v1/rules", body: `{"Host": "a.test", "reason": "x"}`}, 400},
		{"a field twice", call{method: "POST", path: "/v1/rules", body: `{"host": "b.test", "host": "a.test", "reason": "x"}`}, 400},
		{"two objects", call{method: "POST", path: "/v1/rules", body: rule + rule}, 400},
		{"no JSON", call{method: "POST", path: "/v1/rules", body: `host=a.test`}, 400},
		{"null", call{method: "POST", path: "/v1/rules", body: `null`}, 400},
		{"nothing", call{method: "POST", path: "/v1/rules"}, 400},
		{"no reason", call{method: "POST", path: "/v1/rules", body: `{"host": "a.test"}`}, 400},
		{"no scope", call{method: "POST", path: "/v1/rules", body: `{"reason": "x"}`}, 400},
		{"ttl and until", call{method: "POST", path: "/v1/rules", body: `{"host": "a.test", "reason": "x", "ttl": "1h", "until": "2100-01-01T00:00:00Z"}`}, 400},
		{"negative ttl", call{method: "POST", path: "/v1/rules", body: `{"host": "a.test", "reason": "x", "ttl": "-1h"}`}, 400},
		{"an id with a path", call{method: "POST", path: "/v1/rules", body: `{"id": "../../x", "host": "a.test", "reason": "x"}`}, 400},
		{"dots in the path", call{method: "DELETE", path: "/v1/rules/../rules/x", body: `{"reason": "x"}`}, 400},
		{"the id is two dots", call{method: "DELETE", path: "/v1/rules/..", body: `{"reason": "x"}`}, 400},
		{"escaped dots", call{method: "DELETE", path: "/v1/rules/%2e%2e", body: `{"reason": "x"}`}, 400},
		{"an escaped slash", call{method: "DELETE", path: "/v1/rules/a%2Fb", body: `{"reason": "x"}`}, 400},
		{"an escaped zero", call{method: "DELETE", path: "/v1/rules/a%00", body: `{"reason": "x"}`}, 400},
		{"a long id", call{method: "DELETE", path: "/v1/rules/" + strings.Repeat("a", 65), body: `{"reason": "x"}`}, 400},
		{"double slash", call{method: "GET", path: "//v1/rules"}, 400},
		{"PUT", call{method: "PUT", path: "/v1/rules", body: rule}, 405},
		{"elsewhere", call{method: "GET", path: "/v2/rules"}, 404},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newSwitch(t, Options{Token: testToken})
			if w := x.c.do(t, s.Handler()); w.Code != x.want {
				t.Errorf("%s %s = %d %s, want %d", x.c.method, x.c.path, w.Code, w.Body, x.want)
			}
			if got := len(s.Rules()); got != 0 {
				t.Errorf("%d rules in force, want none", got)
			}
		})
	}
}

func TestWhoMayComeOverWhat(t *testing.T) {
	get := call{method: "GET", path: "/v1/rules"}
	with := func(f func(*call)) call { c := get; f(&c); return c }
	for _, x := range []struct {
		name   string
		behind bool
		c      call
	}{
		{"loopback", false, get},
		{"IPv6 loopback", false, with(func(c *call) { c.remote = "[::1]:1" })},
		{"TLS from afar", false, with(func(c *call) { c.remote, c.tls = "203.0.113.5:1", true })},
		{"behind a proxy from afar", true, with(func(c *call) { c.remote = "203.0.113.5:1" })},
		{"behind a proxy on this machine", true, with(func(c *call) { c.header = map[string]string{"X-Forwarded-For": "203.0.113.5"} })},
		{"same origin", false, with(func(c *call) { c.header = map[string]string{"Sec-Fetch-Site": "same-origin"} })},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newSwitch(t, Options{Token: testToken, BehindProxy: x.behind})
			if w := x.c.do(t, s.Handler()); w.Code != 200 {
				t.Errorf("= %d %s, want 200", w.Code, w.Body)
			}
		})
	}
}

func TestAUnixSocketIsPrivate(t *testing.T) {
	s := newSwitch(t, Options{Token: testToken})
	path := filepath.Join(t.TempDir(), "ks.sock")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: s.Handler()}
	go srv.Serve(ln)
	defer srv.Close()
	client := &http.Client{Transport: &http.Transport{Dial: func(string, string) (net.Conn, error) { return net.Dial("unix", path) }}}
	r, _ := http.NewRequest("GET", "http://unix/v1/rules", nil)
	r.Header.Set("Authorization", "Bearer "+testToken)
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Errorf("GET over a Unix socket = %d, want 200", resp.StatusCode)
	}
}

func TestTenThousandWrongTokensAreSlowedAndARightOneIsServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s := newSwitch(t, Options{Token: testToken, StateDir: dir})
		h := s.Handler()
		count := map[int]int{}
		for i := range 10_000 {
			w := call{method: "GET", path: "/v1/rules", header: map[string]string{"Authorization": fmt.Sprintf("Bearer %032d", i)}}.do(t, h)
			count[w.Code]++
			if w.Code == 429 && w.Header().Get("Retry-After") == "" {
				t.Fatal("429 without Retry-After")
			}
			if i%1000 == 999 {
				if w := (call{method: "GET", path: "/v1/rules"}).do(t, h); w.Code != 200 {
					t.Errorf("the right token after %d wrong ones = %d, want 200", i+1, w.Code)
				}
			}
		}
		if count[401] != 5 || count[429] != 9995 {
			t.Errorf("answers %v, want 5 times 401 and 9995 times 429", count)
		}
		audit, _ := os.ReadFile(filepath.Join(dir, auditFile))
		if n := bytes.Count(audit, []byte("auth.fail")); n != 6 {
			t.Errorf("%d auth.fail records, want 6", n)
		}
		time.Sleep(time.Minute)
		if w := (call{method: "GET", path: "/v1/rules", header: map[string]string{"Authorization": "x"}}).do(t, h); w.Code != 401 {
			t.Errorf("a wrong token a minute later = %d, want 401", w.Code)
		}
	})
}

func TestATokenFileIsReadAtEachCall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	s := newSwitch(t, Options{TokenFile: path})
	h := s.Handler()
	other := strings.Repeat("z", 40)
	for _, x := range []struct {
		text, token string
		want        int
	}{
		{"", testToken, 401},
		{testToken + "\n", testToken, 200},
		{other + "\n" + testToken + "\n", testToken, 200},
		{other + "\n" + testToken + "\n", other, 200},
		{other + "\r\n", testToken, 401},
		{other + "\r\n", other, 200},
		{"\xef\xbb\xbf" + other + "\n", other, 200},
		{strings.Repeat("\n", maxTokenFile) + other, other, 401},
		{"short\n", "short", 401},
	} {
		writeFile(t, path, x.text)
		w := call{method: "GET", path: "/v1/rules", header: map[string]string{"Authorization": "Bearer " + x.token}}.do(t, h)
		if w.Code != x.want {
			t.Errorf("file %q, token %q = %d, want %d", x.text, x.token, w.Code, x.want)
		}
	}
}

func TestASlowBodyIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := memoryWeb(t)
		s := newSwitch(t, Options{Token: testToken, BehindProxy: true})
		h := s.Handler()
		web.Host("admin.test").Handle("/v1/rules", h.ServeHTTP)
		for _, token := range []string{testToken, "wrong"} {
			body, write := io.Pipe()
			go func() {
				for {
					if _, err := write.Write([]byte(" ")); err != nil {
						return
					}
					time.Sleep(time.Second)
				}
			}()
			r, _ := http.NewRequest("POST", "http://admin.test/v1/rules", body)
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Content-Type", "application/json")
			began := time.Now()
			resp, err := web.Transport().RoundTrip(r)
			took := time.Since(began)
			body.Close()
			if err == nil {
				resp.Body.Close()
				if resp.StatusCode != 408 && resp.StatusCode != 401 {
					t.Errorf("token %q: status %d, want 408 or 401", token, resp.StatusCode)
				}
			}
			if took > adminBodyTime+time.Second {
				t.Errorf("token %q: answered after %s (%v), want about %s at most", token, took, err, adminBodyTime)
			}
		}
		time.Sleep(2 * time.Second) // the writers see that their pipes are closed
	})
}

func TestAStopThatTheDiskDoesNotTakeIsInForceAndALiftIsNot(t *testing.T) {
	dir := t.TempDir()
	s := newSwitch(t, Options{Token: testToken, StateDir: dir})
	h := s.Handler()
	if w := (call{method: "POST", path: "/v1/rules", body: `{"id": "a", "host": "a.test", "reason": "x"}`}).do(t, h); w.Code != 200 || !strings.Contains(w.Body.String(), `"durable": true`) {
		t.Fatalf("POST = %d %s, want 200, durable", w.Code, w.Body)
	}
	again := diskTakesNothing(t, s)
	w := call{method: "POST", path: "/v1/rules", body: `{"id": "b", "host": "b.test", "reason": "x"}`}.do(t, h)
	var got struct{ Applied, Durable bool }
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 507 || !got.Applied || got.Durable {
		t.Errorf("POST on a full disk = %d %s, want 507, applied, not durable", w.Code, w.Body)
	}
	if w := (call{method: "DELETE", path: "/v1/rules/a", body: `{"reason": "x"}`}).do(t, h); w.Code != 507 {
		t.Errorf("DELETE on a full disk = %d %s, want 507", w.Code, w.Body)
	}
	wantStopped(t, s, true, "http://a.test/", "http://b.test/")

	again()
	s.look() // there is room again
	wantStopped(t, newSwitch(t, Options{StateDir: dir}), true, "http://a.test/", "http://b.test/")
}
