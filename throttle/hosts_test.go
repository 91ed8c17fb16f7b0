package throttle

import (
	"fmt"
	"net/http"
	"testing"
	"time"
	"unsafe"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/report"
)

func TestAHostsStateIsSmall(t *testing.T) {
	if got, most := unsafe.Sizeof(host{}), uintptr(64); got > most {
		t.Errorf("a host takes %d bytes, want at most %d", got, most)
	}
}

func TestWhatAHostOwesSurvivesEviction(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, th *Throttle) {
		end := func(u string, status int, header ...string) {
			turn := mustWait(t, th, u)
			h := http.Header{}
			for i := 0; i+1 < len(header); i += 2 {
				h.Set(header[i], header[i+1])
			}
			turn.Done(&http.Response{StatusCode: status, Header: h}, nil)
		}
		end("http://blocked.test/", 429, "Retry-After", "3600")
		end("http://denied.test/", 403)
		for i := range 2 * shardCount * leastSlots {
			end(fmt.Sprintf("http://h%d.test/", i), 200)
			if i%1000 == 0 {
				time.Sleep(100 * time.Millisecond)
			}
		}
		time.Sleep(2 * time.Second)
		end("http://last.test/", 200)
		th.hosts.sweep(th.now())
		if got := th.Stats().Hosts; got != 3 {
			t.Errorf("%d hosts are known, want 3: the two that owe something, and the last", got)
		}
		if s, ok := th.Snapshot("blocked.test"); !ok || s.Level != 1 {
			t.Errorf("Snapshot(blocked.test) = %+v, %v, want its block", s, ok)
		}
		time.Sleep(25 * time.Hour)
		th.hosts.sweep(th.now())
		if got := th.Stats().Hosts; got != 0 {
			t.Errorf("%d hosts are known a day later, want none", got)
		}
	})
}

func TestTheTableDoesNotGrowWithHostsThatOweNothing(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, th *Throttle) {
		for i := range 3 * shardCount * leastSlots {
			mustWait(t, th, fmt.Sprintf("http://h%d.test/", i)).Done(nil, nil)
			if i%100 == 0 {
				time.Sleep(10 * time.Millisecond)
			}
		}
		if got, most := th.Stats().Hosts, 2*shardCount*leastSlots; got > most {
			t.Errorf("%d hosts are known, want at most %d", got, most)
		}
	})
}

func TestAHostForWhichThereIsNoRoomIsRefusedUntilThereIs(t *testing.T) {
	virtual(t, func(t *testing.T, web *testweb.Web) {
		for i := range 5 {
			web.Host(fmt.Sprintf("h%d.test", i)).Page("/*", "x")
		}
		var skips []report.Skip
		c, th := paced(t, web, Options{MaxHosts: 3, Rules: []LimitRule{{Delay: time.Minute}},
			OnSkip: func(_ *colly.Request, s report.Skip) { skips = append(skips, s) }}, colly.AllowURLRevisit())
		for i := range 3 {
			visit(t, c, fmt.Sprintf("http://h%d.test/", i))
		}
		e := wantRefused(t, c.Visit("http://h3.test/"), report.HostTableFull)
		if got := time.Until(e.RetryAt); got <= 0 || got > time.Minute {
			t.Errorf("to be asked again after %v, want when the first owes nothing: within a minute", got)
		}
		if err := c.Visit("http://h3.test/"); err != nil || len(skips) != 2 {
			t.Errorf("asked again at once: %v, %d skips, want nil and 2", err, len(skips))
		}
		time.Sleep(time.Minute)
		visit(t, c, "http://h3.test/")
		if got := len(web.Log()); got != 4 {
			t.Errorf("%d requests, want 4", got)
		}
		wantIdle(t, th)
	})
}

func TestIdleGatesAreFew(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, th *Throttle) {
		for i := range 3 * shardCount * keptGates {
			mustWait(t, th, fmt.Sprintf("http://h%d.test/", i)).Done(nil, nil)
		}
		gates := 0
		for i := range th.hosts.shards {
			th.hosts.shards[i].table.all(func(h *host) {
				if h.gate != nil {
					gates++
				}
			})
		}
		if most := shardCount * keptGates; gates > most {
			t.Errorf("%d gates, want at most %d", gates, most)
		}
	})
}

func TestAHostOnTwoPortsKeepsTheMoreCarefulRule(t *testing.T) {
	bubble(t, Options{Rules: []LimitRule{{DomainGlob: "a.test:8080", Delay: 5 * time.Second}}}, func(t *testing.T, th *Throttle) {
		start := time.Now()
		for _, x := range []struct {
			u    string
			want time.Duration
		}{{"http://a.test/", 0}, {"http://a.test:8080/", 5 * time.Second}, {"https://a.test/", 10 * time.Second}} {
			turn := mustWait(t, th, x.u)
			if got := time.Since(start); got != x.want {
				t.Errorf("%s started after %v, want %v", x.u, got, x.want)
			}
			turn.Done(nil, nil)
		}
	})
}
