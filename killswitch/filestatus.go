package killswitch

import "time"

// Status says how it stands with the stop file. The zero value is that of a Switch without one.
type Status struct {
	Path string
	// Err is why the file could not be read whole when it was last looked at. Nil: it could. What it said before stays in force.
	Err error
	// Since is when that began.
	Since time.Time
	// Generation is that of the last valid file, if it had one.
	Generation int64
	// Settling is true while the file no longer says something that is still in force.
	Settling bool
}

// Status is the state of the stop file.
func (s *Switch) Status() Status {
	s.use()
	s.file.mu.Lock()
	defer s.file.mu.Unlock()
	return s.file.status
}

// staleID is the rule that stops everything when the stop file has been unreadable for too long.
const staleID = "stop-file-stale"

// fileIs notes how the look at the file went.
func (s *Switch) fileIs(now time.Time, err error) {
	r := &s.file
	r.mu.Lock()
	if err == nil || r.status.Err == nil {
		r.status.Since = time.Time{}
		if err != nil {
			r.status.Since = now
		}
	}
	changed := err != nil && (r.status.Err == nil || r.status.Err.Error() != err.Error())
	r.status.Err = err
	since := r.status.Since
	r.mu.Unlock()

	if changed {
		s.audit(event{Event: "reload.reject", Source: FromFile, Detail: err.Error()})
	}
	s.alarm(s.opts.File, err)
	tooLong := err != nil && s.opts.MaxStale > 0 && now.Sub(since) >= s.opts.MaxStale
	s.standIn(staleID, tooLong, "the stop file cannot be read")
}

// standIn puts a rule that stops everything in force, or takes it out.
func (s *Switch) standIn(id string, on bool, reason string) {
	s.mu.Lock()
	e := s.stale[id]
	if on == (e != nil) {
		s.mu.Unlock()
		return
	}
	if !on {
		delete(s.stale, id)
		s.retire("readable again", e)
		s.mu.Unlock()
		return
	}
	e = newEntry(Rule{ID: id, All: true, Action: Stop, Reason: reason}, FromAutomatic, time.Now())
	s.stale[id] = e
	s.publish(e)
	s.mu.Unlock()
	s.strike(nil, e)
	s.log().Error("killswitch: stop", describe(e.rule)...)
}
