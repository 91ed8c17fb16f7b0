package throttle

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func wantParked(t *testing.T, th *Throttle, host string, want report.Reason) {
	t.Helper()
	if s, _ := th.Snapshot(host); s.Parked != want {
		t.Errorf("Snapshot(%s).Parked = %q, want %q", host, s.Parked, want)
	}
}

func TestTenRefusalsInARowParkTheHostForADay(t *testing.T) {
	for _, no := range []testweb.Answer{{Status: 401}, {Status: 403}, {Status: 451},
		{Status: 200, Header: http.Header{"Cf-Mitigated": {"challenge"}}}, {Status: 202, Header: http.Header{"X-Amzn-Waf-Action": {"challenge"}}}} {
		virtual(t, func(t *testing.T, web *testweb.Web) {
			web.Host("a.test").Answer("/*", no)
			var skips []report.Skip
			c, th := paced(t, web, Options{OnSkip: func(_ *colly.Request, s report.Skip) { skips = append(skips, s) }})
			for i := range 13 {
				_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
			}
			if got := len(web.Log()); got != 10 {
				t.Errorf("%d %v: %d requests, want 10", no.Status, no.Header, got)
			}
			wantParked(t, th, "a.test", report.AccessDenied)
			if len(skips) != 3 || skips[0].Reason != report.AccessDenied || time.Until(skips[0].RetryAt).Round(time.Hour) != 24*time.Hour {
				t.Errorf("skips %+v, want 3 with access_denied, again after a day", skips)
			}
			time.Sleep(24 * time.Hour)
			_ = c.Visit("http://a.test/later")
			if got := len(web.Log()); got != 11 {
				t.Errorf("%d requests after a day, want 11", got)
			}
		})
	}
}

func TestAnotherAnswerBreaksTheRow(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Answer("/*", testweb.Answer{Status: 403}).Page("/9", "x")
		c, th := paced(t, web, Options{})
		for i := range 18 {
			_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
		}
		wantParked(t, th, "a.test", "")
		_ = c.Visit("http://a.test/18")
		_ = c.Visit("http://a.test/19")
		wantParked(t, th, "a.test", report.AccessDenied)
	})
}

func TestRobotsTxtAndTheFirstThreePagesDeniedParkTheHost(t *testing.T) {
	for _, x := range []struct {
		name          string
		robots, page2 int
		want          report.Reason
		hits          int
	}{
		{"all four say no", 403, 403, report.AccessDenied, 4},
		{"401 says no as well", 401, 401, report.AccessDenied, 4},
		{"robots.txt does not", 404, 403, "", 6},
		{"a page does not", 403, 200, "", 6},
	} {
		virtual(t, func(t *testing.T, web *testweb.Web) {
			web.Host("a.test").Answer("/*", testweb.Answer{Status: 403}).Answer("/robots.txt", testweb.Answer{Status: x.robots}).
				Answer("/2", testweb.Answer{Status: x.page2})
			c, th := obeying(t, web, Options{}, &rules{})
			for i := range 5 {
				_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
			}
			wantParked(t, th, "a.test", x.want)
			if got := len(web.Log()); got != x.hits {
				t.Errorf("%s: %d requests, want %d", x.name, got, x.hits)
			}
		})
	}
}

func TestUnparkLiftsWhatAPersonDecides(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Answer("/*", testweb.Answer{Status: 403})
		var log logged
		c, th := paced(t, web, Options{Logger: log.logger()})
		for i := range 11 {
			_ = c.Visit(fmt.Sprintf("http://a.test/%d", i))
		}
		if err := th.Unpark("A.test:443", "the owner let us in"); err != nil {
			t.Fatalf("Unpark = %v, want nil", err)
		}
		wantParked(t, th, "a.test", "")
		_ = c.Visit("http://a.test/new")
		if got := len(web.Log()); got != 11 {
			t.Errorf("%d requests, want 11", got)
		}
		if got := log.lines("the owner let us in"); len(got) != 1 {
			t.Errorf("log %q, want one line with the reason", got)
		}
		if err := th.Unpark("no host", ""); err == nil {
			t.Error(`Unpark("no host") = nil, want an error`)
		}
	})
}
