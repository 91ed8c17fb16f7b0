package killswitch

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/collyetiquette/etiquette/internal/origin"
)

const (
	maxAdminBody  = 64 << 10 // bytes
	adminBodyTime = 5 * time.Second
)

// Handler is the admin endpoint:
//
//	GET    /v1/rules              the rules in force, and how it stands with the stop file
//	POST   /v1/rules              makes a rule: its fields as in a stop file; "ttl" ("72h") may stand in place of "until"
//	DELETE /v1/rules/{id}         lifts a rule: {"reason": "..."}
//	GET    /v1/rules/{id}/report  what can be told to the site's owner; as text with Accept: text/plain
//	GET    /v1/check?url=         whether a URL is stopped
//	POST   /v1/reload             looks at the stop file now
//
// A stop or lift is on the disk, where there is a StateDir, before it is answered with 200; a stop that the disk did not take is in force and
// answered with 507. Every call must carry a token; until one is configured, every call is answered with 401. Calls that others could listen to
// are answered with 403; see Options.BehindProxy. So are those that a page of another site makes a browser send.
func (s *Switch) Handler() http.Handler {
	s.wake()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/rules", s.getRules)
	mux.HandleFunc("POST /v1/rules", s.postRule)
	mux.HandleFunc("DELETE /v1/rules/{id}", s.deleteRule)
	mux.HandleFunc("GET /v1/rules/{id}/report", s.getReport)
	mux.HandleFunc("GET /v1/check", s.getCheck)
	mux.HandleFunc("POST /v1/reload", s.postReload)
	return s.guarded(mux)
}

func unauthorized(w http.ResponseWriter, why string) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="killswitch"`)
	fail(w, http.StatusUnauthorized, why)
}

// fail answers and lets go of the connection, so that what is left of the body is not read.
func fail(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Connection", "close")
	answer(w, status, map[string]string{"error": why})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	_ = enc.Encode(v) // the caller is gone
}

func (s *Switch) getRules(w http.ResponseWriter, _ *http.Request) {
	st := s.Status()
	file := map[string]any{"path": st.Path, "settling": st.Settling}
	if st.Err != nil {
		file["error"], file["since"] = st.Err.Error(), st.Since
	}
	rules := s.Rules()
	if rules == nil {
		rules = []Rule{}
	}
	answer(w, http.StatusOK, map[string]any{"file": file, "rules": rules})
}

func (s *Switch) postRule(w http.ResponseWriter, r *http.Request) {
	var call struct {
		Rule
		TTL     string    `json:"ttl"`
		Created time.Time `json:"created"` // as in a stop file; what counts is when it came here
	}
	if !readCall(w, r, &call) {
		return
	}
	rule := call.Rule
	if call.TTL != "" {
		ttl, err := time.ParseDuration(call.TTL)
		if err != nil || ttl <= 0 || !rule.Until.IsZero() {
			fail(w, http.StatusBadRequest, "ttl must be a positive duration such as 72h, without until")
			return
		}
		rule.Until = time.Now().Add(ttl)
	}
	if strings.TrimSpace(rule.Reason) == "" {
		fail(w, http.StatusBadRequest, "a reason is needed")
		return
	}
	e, fresh, err := s.stop(rule, FromEndpoint, r.RemoteAddr, nil)
	switch {
	case errors.Is(err, errConflict):
		fail(w, http.StatusConflict, err.Error())
	case e == nil:
		fail(w, http.StatusBadRequest, err.Error())
	default:
		status, result := http.StatusOK, map[string]any{"id": e.rule.ID, "rule": e.rule, "applied": true, "new": fresh, "durable": s.state != nil}
		if wide := tooWide(e.rule); wide != nil {
			result["warning"] = wide.Error()
		}
		if err != nil {
			status, result["durable"], result["error"] = http.StatusInsufficientStorage, false, err.Error()
		}
		answer(w, status, result)
	}
}

func (s *Switch) deleteRule(w http.ResponseWriter, r *http.Request) {
	id, ok := callID(w, r)
	if !ok {
		return
	}
	var call struct {
		Reason string `json:"reason"`
	}
	if !readCall(w, r, &call) {
		return
	}
	if strings.TrimSpace(call.Reason) == "" {
		fail(w, http.StatusBadRequest, "a reason is needed")
		return
	}
	switch err := s.lift(id, call.Reason, FromEndpoint, r.RemoteAddr); {
	case errors.Is(err, errNoRule):
		fail(w, http.StatusNotFound, err.Error())
	case err != nil:
		fail(w, http.StatusInsufficientStorage, err.Error())
	default:
		answer(w, http.StatusOK, map[string]any{"id": id, "lifted": true})
	}
}

func (s *Switch) getReport(w http.ResponseWriter, r *http.Request) {
	id, ok := callID(w, r)
	if !ok {
		return
	}
	rep, err := s.Report(id)
	switch {
	case err != nil:
		fail(w, http.StatusNotFound, err.Error())
	case strings.HasPrefix(r.Header.Get("Accept"), "text/plain"):
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = fmt.Fprint(w, rep)
	default:
		answer(w, http.StatusOK, rep)
	}
}

func (s *Switch) getCheck(w http.ResponseWriter, r *http.Request) {
	u, err := url.Parse(r.URL.Query().Get("url"))
	if err == nil {
		_, err = origin.Of(u)
	}
	if err != nil {
		fail(w, http.StatusBadRequest, "url must be an absolute http or https URL")
		return
	}
	result := map[string]any{"stopped": false}
	if rule, stopped := s.Check(u); stopped {
		result["stopped"], result["rule"] = true, rule
	}
	answer(w, http.StatusOK, result)
}

func (s *Switch) postReload(w http.ResponseWriter, _ *http.Request) {
	if err := s.Reload(); err != nil {
		fail(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	answer(w, http.StatusOK, map[string]any{"settling": s.Status().Settling})
}

func callID(w http.ResponseWriter, r *http.Request) (string, bool) {
	id := r.PathValue("id")
	if !validID(id) {
		fail(w, http.StatusBadRequest, "the id is none: 1 to 64 of A-Z a-z 0-9 . _ - are allowed")
		return "", false
	}
	return id, true
}
