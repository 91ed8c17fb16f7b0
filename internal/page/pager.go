package page

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// perPage is how many rows a page has.
const perPage = 50

// maxQuery bounds what is searched for, in octets.
const maxQuery = 200

// query is what a list was asked for: its links repeat it with one thing changed.
type query struct {
	path   string
	values url.Values
}

// newQuery keeps those of the values that a list knows, the first of each.
func newQuery(path string, values url.Values, known ...string) query {
	q := query{path, make(url.Values)}
	for _, name := range known {
		if v := strings.TrimSpace(values.Get(name)); v != "" {
			q.values.Set(name, cut(v, maxQuery))
		}
	}
	return q
}

func cut(text string, most int) string { return strings.ToValidUTF8(text[:min(len(text), most)], "") }

// Get is one of the values.
func (q query) Get(name string) string { return q.values.Get(name) }

// With is a link to the same list, with one value changed or, if it is empty, without; from its first page on.
func (q query) With(name, value string) string {
	v := make(url.Values)
	for n, old := range q.values {
		if n != "page" {
			v[n] = slices.Clone(old)
		}
	}
	if v.Set(name, value); value == "" {
		v.Del(name)
	}
	if len(v) == 0 {
		return q.path
	}
	return q.path + "?" + v.Encode()
}

// pager is one page of a list.
type pager struct {
	First, Last, Total int // rows, counted from 1
	Page, Pages        int
	Before, Behind     string // links; empty: there is no such page
}

// paged is the page of all that q asks for; one that is too far is the last.
func paged[T any](all []T, q query) ([]T, pager) {
	p := pager{Total: len(all), Pages: max(1, (len(all)+perPage-1)/perPage)}
	n, _ := strconv.Atoi(q.Get("page"))
	p.Page = min(max(n, 1), p.Pages)
	from := (p.Page - 1) * perPage
	to := min(from+perPage, len(all))
	if to > from {
		p.First, p.Last = from+1, to
	}
	if p.Page > 1 {
		p.Before = q.With("page", strconv.Itoa(p.Page-1))
	}
	if p.Page < p.Pages {
		p.Behind = q.With("page", strconv.Itoa(p.Page+1))
	}
	return all[from:to], p
}
