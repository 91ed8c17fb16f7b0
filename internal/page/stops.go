package page

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/collyetiquette/etiquette/killswitch"
)

// stopsView is the rules of the kill switch.
type stopsView struct {
	frame
	Said   string // what became of a form, if it is bad news
	File   string // how it stands with the stop file, if that is bad news
	Query  query
	Filter string
	Rules  []ruleView
	Pager  pager
	Form   stopForm
}

// ruleView is one rule.
type ruleView struct {
	frame
	ID, Scope, Action, Reason, Ticket string
	Source                            string
	Made                              string
	Until                             countdown
	Refused, Ended                    int
	Observes                          bool
	Liftable                          bool // not where it came from a file
}

// stopForm is a form, filled in with what was sent; never with the token.
type stopForm struct {
	frame
	Scope, Name, Path, For, Reason, Ticket string
}

// Terms are for how long a host may be stopped.
func (stopForm) Terms() []term {
	return []term{{"", "until somebody lifts it"}, {"1h", "1 hour"}, {"24h", "1 day"}, {"168h", "7 days"}, {"720h", "30 days"}}
}

type term struct{ Value, Text string }

func (h *handler) ruleView(r killswitch.Rule, f frame) ruleView {
	v := ruleView{
		frame: f, ID: r.ID, Scope: short(r.Scope(), 300), Action: string(r.Action), Reason: short(r.Reason, 500), Ticket: short(r.Ticket, 200),
		Until: count(r.Until, f.Now), Observes: r.Action == killswitch.Observe,
	}
	if rep, err := h.crawl.KillSwitch.Report(r.ID); err == nil {
		v.Source, v.Made, v.Refused, v.Ended = string(rep.Source), clock(rep.Received, f.Now), int(rep.Refused), int(rep.Cancelled)
		v.Liftable = rep.Source != killswitch.FromFile
	}
	return v
}

func (h *handler) getStops(w http.ResponseWriter, r *http.Request) {
	h.showStops(w, http.StatusOK, newQuery("stops", r.URL.Query(), "q", "page"), stopForm{Scope: "host"}, "")
}

func (h *handler) showStops(w http.ResponseWriter, status int, q query, form stopForm, said string) {
	f := h.frame("stops", "Stops")
	if said != "" {
		f.Live = 0 // it is the answer to a form
	}
	form.frame = f
	v := stopsView{frame: f, Said: said, Query: q, Filter: q.Get("q"), Form: form}
	if st := h.crawl.KillSwitch.Status(); st.Err != nil {
		v.File = short(st.Path+": "+st.Err.Error(), 500)
	}
	named := strings.ToLower(v.Filter)
	var found []killswitch.Rule
	for _, rule := range h.crawl.KillSwitch.Rules() {
		if named == "" || strings.Contains(strings.ToLower(rule.Scope()+" "+rule.Reason+" "+rule.Ticket+" "+rule.ID), named) {
			found = append(found, rule)
		}
	}
	found, v.Pager = paged(found, q)
	for _, rule := range found {
		v.Rules = append(v.Rules, h.ruleView(rule, f))
	}
	h.show(w, status, "stops", v)
}

// postStop has the endpoint make a rule.
func (h *handler) postStop(w http.ResponseWriter, r *http.Request) {
	form := stopForm{
		Scope: r.PostFormValue("scope"), Name: strings.TrimSpace(r.PostFormValue("name")), Path: strings.TrimSpace(r.PostFormValue("path")),
		For: r.PostFormValue("for"), Reason: r.PostFormValue("reason"), Ticket: r.PostFormValue("ticket"),
	}
	rule := map[string]any{"reason": form.Reason}
	for name, value := range map[string]string{"path": form.Path, "ticket": form.Ticket, "ttl": form.For} {
		if value != "" {
			rule[name] = value
		}
	}
	name := form.Name
	if key, ok := usable(name); ok {
		name = key // of a URL its host
	}
	switch form.Scope {
	case "host", "domain":
		rule[form.Scope] = name
	case "all":
		rule["all"] = true
	}
	a := h.admin.call(r, r.PostFormValue("token"), http.MethodPost, "/v1/rules", rule)
	switch {
	case a.status != http.StatusOK:
		said := "Not stopped: " + a.Error
		if a.status == http.StatusInsufficientStorage {
			said = "It is stopped until this process ends, but that could not be written to the disk: " + a.Error
		}
		h.showStops(w, a.pageStatus(w), newQuery("stops", nil), form, short(said, 500))
	case a.Warning != "":
		h.showStops(w, http.StatusOK, newQuery("stops", nil), stopForm{Scope: "host"}, short("It is stopped, as asked for. Was that meant? "+a.Warning, 500))
	case form.Scope == "host":
		seeOther(w, "host?name="+url.QueryEscape(name))
	default:
		seeOther(w, "stops")
	}
}

// postLift has the endpoint lift a rule.
func (h *handler) postLift(w http.ResponseWriter, r *http.Request) {
	id := r.PostFormValue("id")
	a := h.admin.call(r, r.PostFormValue("token"), http.MethodDelete, "/v1/rules/"+url.PathEscape(id), map[string]any{"reason": r.PostFormValue("reason")})
	if a.status != http.StatusOK {
		h.showStops(w, a.pageStatus(w), newQuery("stops", nil), stopForm{Scope: "host"}, short("Not lifted: "+a.Error, 500))
		return
	}
	if key, ok := usable(r.PostFormValue("host")); ok {
		seeOther(w, "host?name="+url.QueryEscape(key))
		return
	}
	seeOther(w, "stops")
}

// seeOther leads to another page, by a relative link: under which path the page is mounted is not known here.
func seeOther(w http.ResponseWriter, target string) {
	w.Header().Set("Location", target)
	w.WriteHeader(http.StatusSeeOther)
}
