package report

import (
	"encoding/json"
	"io"
	"time"
)

// WriteJSON writes the report for machines: one object with scope, summary and hosts, which are sorted by name. Durations are in seconds. The error is w's.
func (r *Report) WriteJSON(w io.Writer) error {
	hosts, gone := r.read()
	if hosts == nil {
		hosts = []Host{}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		Scope   string  `json:"scope"`
		Summary Summary `json:"summary"`
		Hosts   []Host  `json:"hosts"`
	}{scope, r.summary(hosts, &gone), hosts})
}

// MarshalJSON gives the host with names in lower case and durations in seconds; what is empty is left out.
func (h Host) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Host            string      `json:"host"`
		Requests        int         `json:"requests"`
		Robots          int         `json:"robots,omitempty"`
		Secure          int         `json:"secure,omitempty"`
		Bytes           int64       `json:"bytes"`
		Answers         Answers     `json:"answers"`
		First           time.Time   `json:"first,omitzero"`
		Last            time.Time   `json:"last,omitzero"`
		Interval        float64     `json:"interval,omitempty"`
		Source          Source      `json:"source,omitempty"`
		SmallestGap     *float64    `json:"smallest_gap,omitempty"`
		MedianGap       *float64    `json:"median_gap,omitempty"`
		Gaps            int         `json:"gaps,omitempty"`
		Measured        int         `json:"measured"`
		Broken          int         `json:"broken"`
		Breaches        []Breach    `json:"breaches,omitempty"`
		Blocks          int         `json:"blocks,omitempty"`
		Parkings        int         `json:"parkings,omitempty"`
		Stops           int         `json:"stops,omitempty"`
		Holds           []Hold      `json:"holds,omitempty"`
		Skipped         int         `json:"skipped,omitempty"`
		Skips           []SkipCount `json:"skips,omitempty"`
		Held            Hold        `json:"held,omitzero"`
		Waiting         int         `json:"waiting,omitempty"`
		InFlight        int         `json:"in_flight,omitempty"`
		NextStart       time.Time   `json:"next_start,omitzero"`
		ETA             time.Time   `json:"eta,omitzero"`
		RobotsClass     string      `json:"robots_class,omitempty"`
		RobotsFetchedAt time.Time   `json:"robots_fetched_at,omitzero"`
		WithoutRules    string      `json:"without_rules,omitempty"`
		BrowserLike     bool        `json:"browser_like,omitempty"`
		Signals         []string    `json:"signals,omitempty"`
		Notes           []string    `json:"notes,omitempty"`
	}{
		h.Host, h.Requests, h.Robots, h.Secure, h.Bytes, h.Answers, h.First, h.Last, h.Interval.Seconds(), h.Source,
		h.seconds(h.SmallestGap), h.seconds(h.MedianGap), h.Gaps, h.Measured, h.Broken, h.Breaches,
		h.Blocks, h.Parkings, h.Stops, h.Holds, h.Skipped, h.Skips,
		h.Held, h.Waiting, h.InFlight, h.NextStart, h.ETA, h.RobotsClass, h.RobotsFetchedAt, h.WithoutRules, h.BrowserLike, h.Signals, h.Notes,
	})
}

// seconds is a gap that was measured; nil if none was.
func (h *Host) seconds(gap time.Duration) *float64 {
	if h.Gaps == 0 {
		return nil
	}
	s := gap.Seconds()
	return &s
}

// MarshalJSON gives the broken promise with durations in seconds.
func (b Breach) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Host     string    `json:"host"`
		Time     time.Time `json:"time"`
		Kept     float64   `json:"kept"`
		Promised float64   `json:"promised"`
		Source   Source    `json:"source"`
	}{b.Host, b.Time, b.Kept.Seconds(), b.Promised.Seconds(), b.Source})
}
