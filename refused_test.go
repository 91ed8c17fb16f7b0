package etiquette_test

import (
	"context"
	"errors"
	"net/url"
	"testing"

	"github.com/collyetiquette/etiquette"
	"github.com/collyetiquette/etiquette/report"
)

type refusal struct{}

func (refusal) Error() string     { return "refused" }
func (refusal) Skip() report.Skip { return report.Skip{Reason: report.Stopped, Line: 7} }

func TestRefusedFindsTheSkipThroughURLErrors(t *testing.T) {
	err := &url.Error{Op: "Get", URL: "http://shop.test/", Err: errors.Join(errors.New("other"), refusal{})}
	s, ok := etiquette.Refused(err)
	if !ok || s.Reason != report.Stopped || s.Line != 7 {
		t.Errorf("Refused(%v) = %+v, %v, want the skip", err, s, ok)
	}
	for _, err := range []error{nil, errors.New("sent and failed"), context.Canceled} {
		if s, ok := etiquette.Refused(err); ok {
			t.Errorf("Refused(%v) = %+v, true, want false", err, s)
		}
	}
}

func TestRefusedKnowsABypassThatNetHTTPReports(t *testing.T) {
	err := &url.Error{Op: "Get", URL: "http://shop.test/a", Err: etiquette.ErrBypassed}
	if s, ok := etiquette.Refused(err); !ok || s.Reason != report.Bypassed || s.URL != "http://shop.test/a" || s.Method != "GET" {
		t.Errorf("Refused(%v) = %+v, %v, want a skip with reason bypassed", err, s, ok)
	}
}

func TestErrBypassedEndsAContext(t *testing.T) {
	if !errors.Is(etiquette.ErrBypassed, context.Canceled) {
		t.Error("ErrBypassed is not context.Canceled")
	}
}
