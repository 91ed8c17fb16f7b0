package identity

import (
	"fmt"
	"time"

	"github.com/collyetiquette/etiquette/report"
)

// Error is the refusal of one request, because it would have gone out under a wrong or unreachable name. Find it with errors.As.
type Error struct {
	URL     string  // what was asked for, without userinfo
	Host    string  // the host key of the target
	Problem Problem // why
}

func (e *Error) Error() string {
	return fmt.Sprintf("identity: %s not sent: %s: %s", report.RedactURL(e.URL), e.Problem.Code, e.Problem.Text)
}

// Skip implements [report.Refusal].
func (e *Error) Skip() report.Skip {
	return report.Skip{Time: time.Now(), URL: e.URL, Host: e.Host, Reason: report.Identity, Detail: e.Problem.Code + ": " + e.Problem.Text}
}

// InvalidError is the error of New and Attach for an identity that must not go out.
type InvalidError struct {
	Field    string    // such as "Options.UserAgent"
	Value    string    // what it holds
	Problems []Problem // all that is wrong with it, never empty
}

func (e *InvalidError) Error() string {
	return fmt.Sprintf("identity: %s %q: %s", e.Field, short(e.Value), describe(e.Problems))
}

func invalid(field, value string, problems ...Problem) *InvalidError {
	return &InvalidError{Field: field, Value: value, Problems: problems}
}
