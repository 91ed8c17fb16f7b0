package collyrobots

import "testing"

func TestEachStatusHasOneMeaning(t *testing.T) {
	for _, test := range []struct {
		rule        string
		statuses    []int
		conditional bool
		want        statusMeaning
	}{
		{"2.3.1.1 successful access", []int{200, 203}, false, meansRules},
		{"204 is an empty file", []int{204}, false, meansEmpty},
		{"other 2xx are no whole file", []int{201, 202, 205, 206, 207, 226}, false, meansUnreachable},
		{"2.3.1.2 redirects", []int{300, 301, 302, 303, 305, 306, 307, 308, 399}, false, meansRedirect},
		{"304 renews what was asked for with a validator", []int{304}, true, meansNotModified},
		{"304 unasked says nothing", []int{304}, false, meansUnreachable},
		{"2.3.1.3 unavailable", []int{400, 401, 402, 403, 404, 405, 406, 409, 410, 411, 412, 418, 422, 423, 424, 426, 428, 431, 451, 499}, false, meansUnavailable},
		{"those that speak of the moment", []int{408, 421, 425, 429}, false, meansUnreachable},
		{"407 is the proxy's", []int{407}, false, meansProxy},
		{"2.3.1.4 unreachable", []int{500, 501, 502, 503, 504, 505, 511, 520, 530, 599}, false, meansUnreachable},
		{"other codes", []int{0, 100, 101, 199, 600, 700, 999}, false, meansUnreachable},
	} {
		for _, status := range test.statuses {
			if got := meaningOf(status, test.conditional); got != test.want {
				t.Errorf("%s: meaningOf(%d, %v) = %d, want %d", test.rule, status, test.conditional, got, test.want)
			}
		}
	}
}

func TestAValidatorChangesNothingButA304(t *testing.T) {
	for status := range 1000 {
		if status == 304 {
			continue
		}
		if got, want := meaningOf(status, true), meaningOf(status, false); got != want {
			t.Errorf("meaningOf(%d, true) = %d, without a validator %d", status, got, want)
		}
	}
}
