package report

import (
	"bytes"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"
)

func TestTheJSONFormHasSecondsAndNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		if err := aCrawl().WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Summary struct {
				Requests, Broken int
				Reasons          map[Reason]int
			}
			Hosts []struct {
				Host        string
				Interval    float64
				Source      Source
				SmallestGap float64 `json:"smallest_gap"`
				Breaches    []struct {
					Time           time.Time
					Kept, Promised float64
				}
				Held  Hold
				Skips []SkipCount
			}
		}
		if err := json.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if got.Summary.Requests != 814 || got.Summary.Broken != 1 || got.Summary.Reasons[RobotsDisallowed] != 291 {
			t.Errorf("summary = %+v, want 814 requests, 1 broken promise, 291 disallowed", got.Summary)
		}
		if len(got.Hosts) != 8 || got.Hosts[1].Host != "broken.example" {
			t.Fatalf("%d hosts, want 8 sorted by name", len(got.Hosts))
		}
		broken := got.Hosts[1]
		if broken.Interval != 1 || broken.Source != FromRule || broken.SmallestGap != 0.35 || len(broken.Breaches) != 1 || broken.Breaches[0].Kept != 0.35 {
			t.Errorf("%+v, want the broken promise in seconds", broken)
		}
		if h := got.Hosts[3].Held; h.Reason != Stopped || !h.Until.IsZero() {
			t.Errorf("%s is held by %+v, want the stop", got.Hosts[3].Host, h)
		}
		if s := got.Hosts[6].Skips; len(s) != 2 || s[0] != (SkipCount{RobotsDisallowed, "disallow: /search", 3, 290}) {
			t.Errorf("%s has skips %+v, want the most frequent first", got.Hosts[6].Host, s)
		}
	})
}

func TestTheJSONFormOfAnEmptyReport(t *testing.T) {
	var b bytes.Buffer
	var r Report
	if err := r.WriteJSON(&b); err != nil || !bytes.Contains(b.Bytes(), []byte(`"hosts":[]`)) || !json.Valid(b.Bytes()) {
		t.Errorf("WriteJSON of nothing = %s, %v, want an empty list of hosts", b.Bytes(), err)
	}
}
