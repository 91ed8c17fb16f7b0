package page

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/collyetiquette/etiquette/report"
)

// skipsView is what was not sent, the latest first.
type skipsView struct {
	frame
	Total   int // recorded so far
	Kept    int // of these, in memory
	Query   query
	Filter  string
	Reason  string
	Reasons []reasonCount // of what is kept, the most frequent first
	Skips   []skipView
	Pager   pager
}

type reasonCount struct {
	Reason string
	N      int
}

// skipView is one request that was not sent.
type skipView struct {
	Time, Method, URL string
	Host              string
	Reason            string
	Detail            string
	Rule              string
	Line              int
	Again             countdown
	Referrer          string
}

func viewOfSkip(s *report.Skip, now time.Time) skipView {
	return skipView{
		Time: clock(s.Time, now), Method: short(s.Method, 10), URL: short(report.RedactURL(s.URL), 300), Host: short(s.Host, 253), Reason: short(string(s.Reason), 40),
		Detail: short(s.Detail, 300), Rule: short(s.Rule, 200), Line: s.Line, Again: count(s.RetryAt, now), Referrer: short(report.RedactURL(s.Referrer), 300),
	}
}

func (h *handler) getSkips(w http.ResponseWriter, r *http.Request) {
	q := newQuery("skips", r.URL.Query(), "q", "reason", "page")
	all := h.crawl.Report.Skips()
	slices.Reverse(all)
	v := skipsView{
		frame: h.frame("skips", "Not sent"), Total: h.crawl.Report.Total(), Kept: len(all), Query: q, Filter: q.Get("q"), Reason: q.Get("reason"),
	}
	counts := make(map[report.Reason]int)
	named := strings.ToLower(v.Filter)
	found := make([]*report.Skip, 0, len(all))
	for i := range all {
		s := &all[i]
		if named != "" && !strings.Contains(strings.ToLower(s.URL), named) {
			continue
		}
		counts[s.Reason]++
		if v.Reason == "" || v.Reason == string(s.Reason) {
			found = append(found, s)
		}
	}
	for reason, n := range counts {
		v.Reasons = append(v.Reasons, reasonCount{short(string(reason), 40), n})
	}
	slices.SortFunc(v.Reasons, func(a, b reasonCount) int {
		if a.N != b.N {
			return b.N - a.N
		}
		return strings.Compare(a.Reason, b.Reason)
	})
	var page []*report.Skip
	page, v.Pager = paged(found, q)
	for _, s := range page {
		v.Skips = append(v.Skips, viewOfSkip(s, v.Now))
	}
	h.show(w, http.StatusOK, "skips", v)
}

// skipsOf are the latest skips of a host.
func (h *handler) skipsOf(key string, now time.Time) (views []skipView, more int) {
	for _, s := range slices.Backward(h.crawl.Report.Skips()) {
		switch {
		case s.Host != key:
		case len(views) < hostSkips:
			views = append(views, viewOfSkip(&s, now))
		default:
			more++
		}
	}
	return views, more
}
