package killswitch

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"
)

func TestAQueueWithStoppedURLsComesToItsEnd(t *testing.T) {
	web := memoryWeb(t)
	web.Host("a.test").Page("*", "a")
	web.Host("b.test").Page("*", "b")
	var l told
	s := newSwitch(t, Options{Base: web.Transport(), OnSkip: l.OnSkip})
	c := attached(t, s)
	storage := s.FilterStorage(nil)
	q, err := queue.New(2, storage)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		for _, h := range []string{"a", "b"} {
			if err := q.AddURL(fmt.Sprintf("http://%s.test/%d", h, i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	id := mustStop(t, s, Rule{Host: "a.test", Reason: "asked"})
	if n, err := q.Size(); n != 5 || err != nil {
		t.Errorf("Size after the stop = %d, %v, want 5", n, err)
	}
	wantErrStopped(t, "AddURL of a stopped host", q.AddURL("http://a.test/late"))
	if err := q.Run(c); err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
	if got := web.LogOf("b.test"); len(got) != 5 || len(web.Hits()) != 5 || got[0] == got[4] {
		t.Errorf("server saw %q, want the five of b.test", web.Log())
	}
	rep, _ := s.Report(id)
	if rep.Purged != 5 || rep.Refused != 1 || len(l.all()) != 6 {
		t.Errorf("Report = %+v, %d told, want 5 purged, 1 refused, 6 told", rep, len(l.all()))
	}
	if err := s.Lift(id, "agreed"); err != nil {
		t.Fatal(err)
	}
	if n, _ := q.Size(); n != 5 {
		t.Errorf("Size after the lift = %d, want the 5 that were taken out", n)
	}
	q.Stop() // a queue that has run wants this before it runs again
	if err := q.Run(c); err != nil || len(web.LogOf("a.test")) != 5 {
		t.Errorf("Run after the lift = %v, server saw %q, want the five of a.test", err, web.LogOf("a.test"))
	}
}

func TestAStopWhileTheQueueRunsTakesTheRestOut(t *testing.T) {
	web := memoryWeb(t)
	s := newSwitch(t, Options{Base: web.Transport()})
	c := attached(t, s)
	web.Host("a.test").Page("*", "a")
	storage := s.FilterStorage(&queue.InMemoryQueueStorage{MaxSize: 1000})
	q, _ := queue.New(1, storage)
	for i := range 100 {
		_ = q.AddURL(fmt.Sprintf("http://a.test/%d", i))
	}
	c.OnScraped(func(*colly.Response) {
		if len(web.Hits()) == 10 {
			mustStop(t, s, Rule{Host: "a.test", Action: Drain, Reason: "asked"})
		}
	})
	if err := q.Run(c); err != nil {
		t.Fatal(err)
	}
	if n := len(web.Hits()); n != 10 {
		t.Errorf("%d hits, want 10", n)
	}
}

func TestTheBackingKeepsItsOrderAndWhatIsNotStopped(t *testing.T) {
	s := newSwitch(t, Options{})
	storage := s.FilterStorage(nil)
	_ = storage.Init()
	item := func(host string, i int) []byte {
		return fmt.Appendf(nil, `{"URL":"http://%s/%d","Method":"GET"}`, host, i)
	}
	for i := range 6 {
		_ = storage.AddRequest(item([]string{"a.test", "b.test"}[i%2], i))
	}
	_ = storage.AddRequest([]byte("no JSON"))
	_ = storage.AddRequest([]byte(`{"URL":"http://cdn.test/","Headers":{"Host":["a.test"]}}`))
	mustStop(t, s, Rule{Host: "a.test", Reason: "asked"})
	var got []string
	for {
		n, err := storage.QueueSize()
		if err != nil || n == 0 {
			break
		}
		b, err := storage.GetRequest()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(b))
	}
	want := []string{string(item("b.test", 1)), string(item("b.test", 3)), string(item("b.test", 5)), "no JSON"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("handed out %q, want %q", got, want)
	}
	if b, err := storage.GetRequest(); err == nil {
		t.Errorf("GetRequest of an empty queue = %q, want an error", b)
	}
}

func TestAStopThatEndsByItselfGivesTheQueueBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSwitch(t, Options{})
		storage := s.FilterStorage(nil)
		_ = storage.Init()
		_ = storage.AddRequest([]byte(`{"URL":"http://a.test/"}`))
		mustStop(t, s, Rule{Host: "a.test", Until: time.Now().Add(time.Hour), Reason: "asked"})
		if n, _ := storage.QueueSize(); n != 0 {
			t.Errorf("QueueSize = %d, want 0", n)
		}
		time.Sleep(time.Hour)
		if n, _ := storage.QueueSize(); n != 1 {
			t.Errorf("QueueSize after Until = %d, want 1", n)
		}
	})
}
