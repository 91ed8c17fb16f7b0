package throttle

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func TestTheReportMeasuresWhatWasSentAgainstWhatWasPromised(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "0123456789").Answer("/busy", testweb.Answer{Status: 429, Header: http.Header{"Retry-After": {"60"}}})
		r := new(report.Report)
		c, th := paced(t, web, Options{Rules: []LimitRule{{Delay: 2 * time.Second}}, Report: r})
		for _, path := range []string{"/1", "/2", "/busy", "/3"} {
			_ = c.Visit("http://a.test" + path)
		}
		h, ok := r.Host("a.test")
		if !ok {
			t.Fatal("the report does not know a.test")
		}
		if diff := cmp.Diff(report.Answers{OK: 3, ClientErrors: 1, Throttled: 1}, h.Answers); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
		if h.Requests != 4 || h.Bytes < 30 || h.Blocks != 1 || h.Source != report.FromRule || h.Interval != 2*time.Second {
			t.Errorf("host = %+v, want 4 requests, at least 30 bytes, 1 block and an interval of 2s from a rule", h)
		}
		if h.SmallestGap < 2*time.Second || h.Gaps != 3 {
			t.Errorf("smallest of %d gaps = %v, want 3 of 2s at least", h.Gaps, h.SmallestGap)
		}
		if err := r.Verify(); err != nil {
			t.Errorf("Verify = %v, want nil", err)
		}
		wantIdle(t, th)
	})
}

func TestTheReportKnowsWhyAHostIsLeftAloneAndThatAPersonEndedIt(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		web.Host("a.test").Page("/*", "x")
		r := new(report.Report)
		c, th := obeying(t, web, Options{Report: r}, asking(time.Hour))
		_ = c.Visit("http://a.test/")
		h, _ := r.Host("a.test")
		if got, want := h.Held.Reason, report.CrawlDelayTooLong; got != want || h.Parkings != 1 {
			t.Errorf("held = %+v after %d parkings, want %s once", h.Held, h.Parkings, want)
		}
		if err := th.Unpark("a.test", "its owner said so"); err != nil {
			t.Fatal(err)
		}
		if h, _ = r.Host("a.test"); h.Held.Reason != "" {
			t.Errorf("held after Unpark = %+v, want nothing", h.Held)
		}
	})
}
