package killswitch

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestWhichRulesAreTooWide(t *testing.T) {
	for _, x := range []struct {
		rule Rule
		want bool
	}{
		{Rule{Domain: "com"}, true},
		{Rule{Domain: "CO.UK."}, true},
		{Rule{Domain: "github.io"}, true},
		{Rule{Domain: "s3.amazonaws.com"}, true},
		{Rule{Domain: "xn--p1ai"}, true},
		{Rule{Domain: "рф"}, true},
		{Rule{Domain: "test"}, true}, // nobody's, but everything below it is stopped
		{Rule{Domain: "shop.com"}, false},
		{Rule{Domain: "shop.co.uk"}, false},
		{Rule{Domain: "me.github.io"}, false},
		{Rule{Domain: "192.0.2.1"}, false},
		{Rule{Domain: "2001:db8::1"}, false},
		{Rule{Host: "com"}, false},
		{Rule{All: true}, false}, // which says so
	} {
		r, err := x.rule.canonical()
		if err != nil {
			t.Fatal(err)
		}
		if got := tooWide(r); (got != nil) != x.want {
			t.Errorf("tooWide(%+v) = %v, want an error: %v", r, got, x.want)
		}
	}
}

func TestARuleThatIsTooWideStopsAndRaisesAnAlarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var alarms []string
		path := stopFilePath(t, emptyFile)
		s := newSwitch(t, Options{Token: testToken, File: path, OnAlarm: func(err error) {
			mu.Lock()
			defer mu.Unlock()
			alarms = append(alarms, err.Error())
		}})
		rename(t, path, `{"version": 1, "rules": [{"id": "wide", "domain": "co.uk", "reason": "asked"}]}`)
		time.Sleep(time.Second)
		w := call{method: "POST", path: "/v1/rules", body: `{"id": "wider", "domain": "io", "reason": "asked"}`}.do(t, s.Handler())
		if w.Code != 200 || !strings.Contains(w.Body.String(), `"warning"`) {
			t.Errorf("POST = %d %s, want 200 with a warning", w.Code, w.Body)
		}
		time.Sleep(time.Hour)
		wantStopped(t, s, true, "http://shop.co.uk/", "http://me.github.io/")
		if s.Status().Err != nil {
			t.Errorf("Status().Err = %v, want nil: the file is valid", s.Status().Err)
		}
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if len(alarms) != 2 || !strings.Contains(alarms[0], "co.uk") || !strings.Contains(alarms[1], `"io"`) {
			t.Errorf("alarms %q, want one for each rule", alarms)
		}
	})
}
