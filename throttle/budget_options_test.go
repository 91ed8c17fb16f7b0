package throttle

import (
	"strings"
	"testing"

	"github.com/collyetiquette/etiquette/report"
)

func TestTheFirstBudgetThatMatchesCountsAndSeveralPortsKeepTheLesser(t *testing.T) {
	budgets := []Budget{{DomainGlob: "a.test:8080", Requests: 1}, {DomainGlob: "a.test", Requests: 3}, {Requests: 2}}
	bubble(t, Options{Budgets: budgets, Rules: []LimitRule{{Delay: NoDelay}}}, func(t *testing.T, th *Throttle) {
		ask := func(u string, n int) {
			t.Helper()
			for range n {
				mustWait(t, th, u).Done(nil, nil)
			}
			_, err := th.Wait(t.Context(), parse(t, u))
			wantRefused(t, err, report.Budget)
		}
		ask("http://b.test/", 2)
		mustWait(t, th, "http://a.test/").Done(nil, nil)
		mustWait(t, th, "http://a.test/").Done(nil, nil)
		ask("http://a.test:8080/", 0)
		ask("http://a.test/", 0)
	})
}

func TestBudgetsThatMakeNoSenseAreAnErrorThatNamesFieldAndValue(t *testing.T) {
	for want, budget := range map[string]Budget{
		`Options.Budgets[1].Requests -1`:                                  {Requests: -1},
		`Options.Budgets[1].Bytes -5`:                                     {Bytes: -5},
		`Options.Budgets[1]: it limits nothing`:                           {},
		`Options.Budgets[1].DomainGlob "a/b"`:                             {Requests: 9, DomainGlob: "a/b"},
		`Options.Budgets[1].Requests 2 is too little for Options.Share 3`: {Requests: 2},
	} {
		if _, err := New(Options{Budgets: []Budget{{Requests: 9}, budget}, Share: 3}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New = %v, want an error with %q", err, want)
		}
	}
}

func TestProcessesWithoutACommonStateDirGetTheirPartOfABudget(t *testing.T) {
	for _, x := range []struct {
		dir  string
		want int
	}{{"", 3}, {t.TempDir(), 10}} {
		bubble(t, Options{Budgets: []Budget{{Requests: 10}}, Share: 3, StateDir: x.dir}, func(t *testing.T, th *Throttle) {
			for range x.want {
				mustWait(t, th, "http://a.test/").Done(nil, nil)
			}
			_, err := th.Wait(t.Context(), parse(t, "http://a.test/"))
			wantRefused(t, err, report.Budget)
		})
	}
}
