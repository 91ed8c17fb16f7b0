package killswitch

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

// An answer that leads to an automatic stop may be read to its end; but a person's stop ends it like any other.
func TestAPersonsStopEndsTheAnswerThatAnAutomaticOneSpared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := memoryWeb(t)
		web.Host("a.test").Answer("/law", testweb.Answer{Status: 451, Body: string(make([]byte, 60_000)), Drip: testweb.Drip{Bytes: 1000, Every: time.Second}})
		s := newSwitch(t, Options{Base: web.Transport()})
		resp, err := (&http.Client{Transport: s.Transport(nil)}).Get("http://a.test/law")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		mustStop(t, s, Rule{Host: "b.test", Reason: "another site"})
		if n, err := io.ReadFull(resp.Body, make([]byte, 5000)); err != nil {
			t.Errorf("after the stop of another host, read %d bytes, %v, want 5000, nil", n, err)
		}
		id := mustStop(t, s, Rule{Host: "a.test", Reason: "asked"})
		_, err = io.Copy(io.Discard, resp.Body)
		wantErrStopped(t, "reading on after the stop", err)
		if rep, _ := s.Report(id); rep.Cancelled != 1 {
			t.Errorf("Report(%s).Cancelled = %d, want 1", id, rep.Cancelled)
		}
	})
}
