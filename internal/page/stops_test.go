package page_test

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/killswitch"
)

// stop stops a host in code.
func (w *world) stop(host string) {
	w.t.Helper()
	if _, err := w.guard.KillSwitch.Stop(killswitch.Rule{ID: "ks-" + host, Host: host, Reason: "a test"}); err != nil {
		w.t.Fatal(err)
	}
}

// wantRules is an error unless so many rules are in force.
func (w *world) wantRules(want int) {
	w.t.Helper()
	if got := w.guard.KillSwitch.Rules(); len(got) != want {
		w.t.Errorf("%d rules are in force, want %d: %v", len(got), want, got)
	}
}

// stopForm is a form that is in order.
func stopForm(change ...string) url.Values {
	v := url.Values{"scope": {"host"}, "name": {"shop.test"}, "path": {""}, "for": {"24h"}, "reason": {"the owner asked"}, "ticket": {"OPS-1"}, "token": {token}}
	for i := 0; i+1 < len(change); i += 2 {
		v.Set(change[i], change[i+1])
	}
	return v
}

func TestAHostIsStoppedAndLiftedWithTheToken(t *testing.T) {
	w := newWorld(t)
	w.web.Host("shop.test").Page("/*", "goods")
	c := w.collector()
	if a := w.post("/stop", stopForm()); a.status != http.StatusSeeOther {
		t.Fatalf("stop = %d, want 303:\n%s", a.status, a.body)
	}
	w.wantRules(1)
	rule := w.guard.KillSwitch.Rules()[0]
	if rule.Host != "shop.test" || rule.Reason != "the owner asked" || rule.Ticket != "OPS-1" || rule.Until.IsZero() {
		t.Errorf("the rule is %+v", rule)
	}
	_ = c.Visit("http://shop.test/")
	if got := w.web.Log(); len(got) != 0 {
		t.Errorf("sent to a host that is stopped: %q", got)
	}
	w.get("/host?name=shop.test").has(t, "the owner asked", "OPS-1", "ends in <time", "by endpoint", `action="lift"`)
	w.get("/host?name=shop.test").lacks(t, `action="stop"`)
	w.get("/stops").has(t, rule.ID, `Stops <b class="n" data-stops>1</b>`)

	lift := url.Values{"id": {rule.ID}, "reason": {"the owner agreed"}, "token": {token}}
	for name, form := range map[string]url.Values{
		"no reason": {"id": {rule.ID}, "token": {token}}, "no token": {"id": {rule.ID}, "reason": {"x"}}, "another": {"id": {"ks-0"}, "reason": {"x"}, "token": {token}},
		"a path": {"id": {"../v1/reload"}, "reason": {"x"}, "token": {token}}, "none": {"id": {""}, "reason": {"x"}, "token": {token}},
	} {
		if a := w.post("/lift", form); a.status < 400 || a.status >= 500 {
			t.Errorf("lift with %s = %d, want a refusal", name, a.status)
		}
		w.wantRules(1)
	}
	if a := w.post("/lift", lift); a.status != http.StatusSeeOther {
		t.Errorf("lift = %d, want 303:\n%s", a.status, a.body)
	}
	w.wantRules(0)
	if err := c.Visit("http://shop.test/a"); err != nil {
		t.Errorf("Visit after the lift = %v", err)
	}
}

func TestNothingIsStoppedButByTheRulesOfTheAdminEndpoint(t *testing.T) {
	for _, x := range []struct {
		name   string
		form   url.Values
		change func(*http.Request)
		status int
		text   string
	}{
		{"a wrong token", stopForm("token", strings.Repeat("x", 32)), nil, 403, "a token is needed"},
		{"no token", stopForm("token", ""), nil, 403, "a token is needed"},
		{"no reason", stopForm("reason", " "), nil, 400, "a reason is needed"},
		{"no host", stopForm("name", ""), nil, 400, "Not stopped"},
		{"no scope", stopForm("scope", ""), nil, 400, "Not stopped"},
		{"another scope", stopForm("scope", "id"), nil, 400, "Not stopped"},
		{"a time that is none", stopForm("for", "soon"), nil, 400, "ttl"},
		{"a path that is none", stopForm("path", "x"), nil, 400, "Not stopped"},
		{"another site's page", stopForm(), header("Sec-Fetch-Site", "cross-site"), 403, ""},
		{"another site's page that leads here", stopForm(), func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
			r.Header.Set("Sec-Fetch-Dest", "document")
		}, 403, ""},
		{"another port's page", stopForm(), header("Sec-Fetch-Site", "same-site"), 403, ""},
		{"another origin, in an old browser", stopForm(), func(r *http.Request) {
			r.Header.Del("Sec-Fetch-Site")
			r.Header.Set("Origin", "http://evil.test")
		}, 403, ""},
		{"another name", stopForm(), asking("evil.test"), 421, ""},
		{"by way of a proxy", stopForm(), header("X-Forwarded-For", "203.0.113.5"), 403, ""},
		{"too much", stopForm("reason", strings.Repeat("x", 70_000)), nil, 400, ""},
		{"not a form", nil, header("Content-Type", "application/json"), 403, ""},
	} {
		w := newWorld(t)
		if x.change == nil {
			x.change = func(*http.Request) {}
		}
		a := w.post("/stop", x.form, x.change)
		if a.status != x.status {
			t.Errorf("%s: %d, want %d:\n%s", x.name, a.status, x.status, a.body)
		}
		a.has(t, x.text)
		a.lacks(t, token)
		w.wantRules(0)
	}
	w := newWorld(t)
	for _, path := range []string{"/stop?" + stopForm().Encode(), "/lift?" + stopForm().Encode()} {
		if a := w.get(path); a.status != http.StatusMethodNotAllowed {
			t.Errorf("GET %s = %d, want 405", path, a.status)
		}
	}
	if a := w.post("/stop?"+stopForm().Encode(), nil); a.status != 403 {
		t.Errorf("a token in the URL = %d, want 403", a.status)
	}
	w.wantRules(0)
}

func TestWithoutATokenNoFormIsOffered(t *testing.T) {
	w := newWorld(t, func(p *etiquette.Policy) { p.KillSwitch.Token = "" })
	w.stop("shop.test")
	for _, path := range []string{"/stops", "/host?name=shop.test", "/host?name=other.test"} {
		a := w.get(path)
		a.lacks(t, `action="stop"`, `action="lift"`, `type="password"`)
	}
	w.get("/stops").has(t, "No token is configured")
	for _, form := range []url.Values{stopForm("name", "a.test"), stopForm("name", "a.test", "token", "")} {
		if a := w.post("/stop", form); a.status != http.StatusForbidden {
			t.Errorf("stop = %d, want 403", a.status)
		}
	}
	if a := w.post("/lift", url.Values{"id": {"ks-shop.test"}, "reason": {"x"}}); a.status != http.StatusForbidden {
		t.Errorf("lift = %d, want 403", a.status)
	}
	w.wantRules(1)
}

func TestARuleOfTheStopFileIsLiftedThere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stops.json")
	if err := os.WriteFile(file, []byte(`{"version": 1, "rules": [{"id": "ks-file", "domain": "shop.test", "reason": "asked"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(p *etiquette.Policy) { p.StopFile = file })
	a := w.get("/host?name=www.shop.test")
	a.has(t, "stopped", "domain shop.test", "It comes from the stop file")
	a.lacks(t, `action="lift"`)
	if a := w.post("/lift", url.Values{"id": {"ks-file"}, "reason": {"x"}, "token": {token}}); a.status != http.StatusNotFound {
		t.Errorf("lift = %d, want 404", a.status)
	}
	w.wantRules(1)
}

func TestAStopThatIsNotOnTheDiskIsSaid(t *testing.T) {
	dir := t.TempDir()
	w := newWorld(t, func(p *etiquette.Policy) { p.StateDir = dir })
	kill := filepath.Join(dir, "killswitch")
	if err := os.RemoveAll(kill); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kill, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a := w.post("/stop", stopForm())
	if a.status != http.StatusInsufficientStorage {
		t.Errorf("stop = %d, want 507", a.status)
	}
	a.has(t, "It is stopped until this process ends, but that could not be written to the disk")
	w.wantRules(1)
}

func TestAStopOfMuchIsDoneAndQuestioned(t *testing.T) {
	w := newWorld(t)
	a := w.post("/stop", stopForm("scope", "domain", "name", "co.uk"))
	if a.status != http.StatusOK {
		t.Errorf("stop = %d, want 200", a.status)
	}
	a.has(t, "Was that meant?", "co.uk")
	if a := w.post("/stop", stopForm("scope", "all", "name", "")); a.status != http.StatusSeeOther || a.header.Get("Location") != "stops" {
		t.Errorf("stop of everything = %d to %q, want 303 to stops", a.status, a.header.Get("Location"))
	}
	w.wantRules(2)
	if rule := w.guard.KillSwitch.Rules(); !rule[0].All && !rule[1].All {
		t.Errorf("the rules are %v", rule)
	}
}

func TestThePageIsReadOnThisMachineUnderItsOwnNameOnly(t *testing.T) {
	w := newWorld(t)
	port := w.url[strings.LastIndex(w.url, ":"):]
	for _, x := range []struct {
		name   string
		change func(*http.Request)
		want   int
	}{
		{"an address", asking("127.0.0.1" + port), 200},
		{"another loopback address", asking("127.8.8.8"), 200},
		{"of version 6", asking("[::1]" + port), 200},
		{"localhost", asking("localhost" + port), 200},
		{"localhost, spelled otherwise", asking("LOCALHOST."), 200},
		{"a name below localhost", asking("crawl.localhost"), 200},
		{"a stranger's name", asking("evil.test" + port), 421},
		{"a stranger's name that looks like ours", asking("localhost.evil.test"), 421},
		{"a public address", asking("203.0.113.5"), 421},
		{"no network's address", asking("0.0.0.0" + port), 421},
		{"a number", asking("2130706433"), 200}, // how some write 127.0.0.1
		{"by way of a proxy", header("X-Forwarded-For", "203.0.113.5"), 403},
		{"Forwarded", header("Forwarded", "for=203.0.113.5"), 403},
		{"Via", header("Via", "1.1 proxy"), 403},
		{"a script of another site", header("Sec-Fetch-Site", "cross-site"), 403},
		{"a script of another port", header("Sec-Fetch-Site", "same-site"), 403},
		{"a frame of another site", func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
			r.Header.Set("Sec-Fetch-Dest", "iframe")
		}, 403},
		{"a link on another site", func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
			r.Header.Set("Sec-Fetch-Dest", "document")
		}, 200},
		{"the page itself", header("Sec-Fetch-Site", "same-origin"), 200},
	} {
		for _, path := range []string{"/", "/skips", "/page.js", "/robots?origin=http://shop.test"} {
			want := x.want
			if path == "/robots?origin=http://shop.test" && want == 200 {
				want = 404
			}
			if a := w.get(path, x.change); a.status != want {
				t.Errorf("%s: %s = %d, want %d", x.name, path, a.status, want)
			}
		}
	}
}

func TestElsewhereThePageIsShownForTheTokenAndOverTLS(t *testing.T) {
	secure := func(r *http.Request) { r.TLS = &tls.ConnectionState{} }
	plain := func(*http.Request) {}
	as := func(password string) func(*http.Request) {
		return func(r *http.Request) { r.Host = "crawl.corp.test"; r.SetBasicAuth("me", password) }
	}
	none := func(p *etiquette.Policy) { p.KillSwitch.Token = "" }
	proxied := func(p *etiquette.Policy) { p.KillSwitch.BehindProxy = true }
	asIs := func(*etiquette.Policy) {}
	for _, x := range []struct {
		name       string
		policy     func(*etiquette.Policy)
		from       string
		connection func(*http.Request)
		as         func(*http.Request)
		want       int
	}{
		{"no token is configured", none, "203.0.113.5:1", secure, as(""), 403},
		{"in the clear", asIs, "203.0.113.5:1", plain, as(token), 403},
		{"over TLS, nothing said", asIs, "203.0.113.5:1", secure, plain, 401},
		{"over TLS, a wrong token", asIs, "203.0.113.5:1", secure, as("x"), 401},
		{"over TLS", asIs, "203.0.113.5:1", secure, as(token), 200},
		{"on this machine, by another name", asIs, "127.0.0.1:1", plain, as(token), 421},
		{"on this machine, by another name over TLS", asIs, "127.0.0.1:1", secure, as(token), 200},
		{"on this machine, by another name over TLS, nothing said", asIs, "127.0.0.1:1", secure, asking("crawl.corp.test"), 401},
		{"behind a proxy, nothing said", proxied, "127.0.0.1:1", plain, plain, 401},
		{"behind a proxy", proxied, "127.0.0.1:1", plain, as(token), 200},
		{"an address that cannot be read", asIs, "", plain, plain, 403},
	} {
		w := newWorld(t, x.policy)
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/", nil)
		r.RemoteAddr = x.from
		x.connection(r)
		x.as(r)
		rec := httptest.NewRecorder()
		w.guard.Handler().ServeHTTP(rec, r)
		if rec.Code != x.want || (rec.Code == 401) != (rec.Header().Get("WWW-Authenticate") != "") {
			t.Errorf("%s: %d with %q, want %d", x.name, rec.Code, rec.Header().Get("WWW-Authenticate"), x.want)
		}
	}

	w := newWorld(t)
	h := w.guard.Handler()
	status := 0
	for range 10 {
		r := httptest.NewRequest(http.MethodGet, "https://crawl.corp.test/", nil)
		r.RemoteAddr, r.TLS = "203.0.113.5:1", &tls.ConnectionState{}
		r.SetBasicAuth("me", "guess")
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		status = rec.Code
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("the tenth guess = %d, want 429", status)
	}
}
