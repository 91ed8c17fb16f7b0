package collyrobots

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/report"
)

func TestARefusalMatchesItsSentinelAndCollysError(t *testing.T) {
	if !errors.Is(ErrDisallowed, colly.ErrRobotsTxtBlocked) || !errors.Is(ErrUnreachable, colly.ErrRobotsTxtBlocked) {
		t.Error("a sentinel does not match colly.ErrRobotsTxtBlocked")
	}
	cause := errors.New("no route")
	for _, test := range []struct {
		d                       Decision
		disallowed, unreachable bool
	}{
		{Decision{Class: ClassRules, Reason: report.RobotsDisallowed, Line: 2, Rule: "disallow: /"}, true, false},
		{Decision{Class: ClassUnreachable, Reason: report.RobotsUnreachable, Err: cause}, false, true},
		{Decision{Class: ClassUnreachable, Reason: report.Stopped, Err: cause}, false, true},
	} {
		err := error(&RefusedError{test.d})
		if got := errors.Is(err, ErrDisallowed); got != test.disallowed {
			t.Errorf("errors.Is(%v, ErrDisallowed) = %v, want %v", err, got, test.disallowed)
		}
		if got := errors.Is(err, ErrUnreachable); got != test.unreachable {
			t.Errorf("errors.Is(%v, ErrUnreachable) = %v, want %v", err, got, test.unreachable)
		}
		if !errors.Is(err, colly.ErrRobotsTxtBlocked) {
			t.Errorf("errors.Is(%v, colly.ErrRobotsTxtBlocked) = false", err)
		}
		if got := errors.Is(err, cause); got != (test.d.Err != nil) {
			t.Errorf("errors.Is(%v, its cause) = %v", err, got)
		}
		if errors.Is(err, colly.ErrForbiddenDomain) {
			t.Errorf("errors.Is(%v, another error) = true", err)
		}
	}
}

func TestASkipSaysWhichLineAndRule(t *testing.T) {
	err := &RefusedError{Decision{
		URL: "https://shop.test/private/1", Origin: "https://shop.test", Class: ClassRules, Reason: report.RobotsDisallowed,
		Line: 7, Rule: "disallow: /private/", ExpiresAt: noon,
	}}
	s := err.Skip()
	if s.URL != "https://shop.test/private/1" || s.Reason != report.RobotsDisallowed || s.Line != 7 || s.Rule != "disallow: /private/" || !s.RetryAt.IsZero() {
		t.Errorf("Skip() = %+v", s)
	}
	for _, text := range []string{s.Detail, err.Error()} {
		if !strings.Contains(text, "line 7") || !strings.Contains(text, "disallow: /private/") || !strings.Contains(text, "https://shop.test/robots.txt") {
			t.Errorf("text %q does not name the line, the rule and the file", text)
		}
	}
}

func TestAnUnreachableSkipSaysWhyAndUntilWhen(t *testing.T) {
	err := &RefusedError{Decision{
		URL: "https://shop.test/", Origin: "https://shop.test", Class: ClassUnreachable, Reason: report.RobotsUnreachable,
		RetryAt: noon.Add(time.Minute), Err: errors.New("it was answered with 503"),
	}}
	s := err.Skip()
	if s.RetryAt != noon.Add(time.Minute) || !strings.Contains(s.Detail, "503") || !strings.Contains(s.Detail, "2030-05-01T12:01:00Z") {
		t.Errorf("Skip() = %+v", s)
	}
}
