package page

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
)

// hostsView is the list of hosts.
type hostsView struct {
	frame
	Sums    sums
	Verdict string
	Known   int // hosts in all
	Query   query
	Filter  string
	Tabs    []tab
	Columns []column
	Rows    []row
	Pager   pager
}

// tab shows the hosts of one state.
type tab struct {
	State state // empty: all
	Count int
	Link  string
	Here  bool
}

// column is a heading that sorts.
type column struct {
	Title string
	Link  string // empty: it does not sort
	Here  bool
	Right bool // it holds numbers
}

// orders are what the list can be sorted by, besides the name.
var orders = map[string]func(*row) int{
	"waiting":  func(r *row) int { return r.Waiting + r.InFlight },
	"requests": func(r *row) int { return r.Requests },
	"skipped":  func(r *row) int { return r.Skipped },
}

func (h *handler) getHosts(w http.ResponseWriter, r *http.Request) {
	l := h.roster.list()
	q := newQuery("./", r.URL.Query(), "q", "state", "sort", "page")
	view := hostsView{frame: h.frame("hosts", "Hosts"), Sums: l.sums, Verdict: l.sums.verdict(), Known: len(l.hosts), Query: q, Filter: q.Get("q")}
	view.Live = max(view.Live, 20*l.took.Milliseconds())

	wanted := state(q.Get("state"))
	named := strings.ToLower(q.Get("q"))
	counts := make(map[state]int)
	var rows []row
	for _, x := range l.hosts {
		if !strings.Contains(x.Name, named) {
			continue
		}
		counts[""]++
		counts[x.State]++
		if wanted == "" || x.State == wanted {
			rows = append(rows, x)
		}
	}
	if by := orders[q.Get("sort")]; by != nil {
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(by(&b), by(&a)) })
	}
	view.Rows, view.Pager = paged(rows, q)

	view.Tabs = append(view.Tabs, tab{"", counts[""], q.With("state", ""), wanted == ""})
	for _, s := range states {
		view.Tabs = append(view.Tabs, tab{s, counts[s], q.With("state", string(s)), wanted == s})
	}
	for _, c := range []struct {
		title, sort string
		sorts       bool
	}{
		{"Host", "", true}, {"State", "", false}, {"Interval", "", false}, {"Waiting", "waiting", true}, {"Next request", "", false}, {"robots.txt", "", false},
		{"Sent", "requests", true}, {"Not sent", "skipped", true},
	} {
		column := column{Title: c.title, Right: c.sort != ""}
		if c.sorts {
			column.Link, column.Here = q.With("sort", c.sort), q.Get("sort") == c.sort
		}
		view.Columns = append(view.Columns, column)
	}
	h.show(w, http.StatusOK, "hosts", view)
}
