package chain

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

// moments is a layer and a base that note in which order they are called.
type moments struct {
	testLayer
	noted []string
	read  int // octets
}

func (m *moments) note(what string) { m.noted = append(m.noted, what) }

func (m *moments) Handle(h *Hop, next Handler) (*http.Response, error) {
	h.OnSend(m)
	return next(h)
}

func (m *moments) Sending(traced bool) {
	m.note("sending")
	if traced {
		m.note("traced")
	}
}

func (m *moments) Entered(inside bool) {
	m.note("entered")
	if inside {
		m.note("inside")
	}
}

func (m *moments) Read(n int) { m.read += n }

func (m *moments) RoundTrip(r *http.Request) (*http.Response, error) {
	m.note("base")
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("x")), Request: r}, nil
}

func TestTheMomentOfSendingIsTold(t *testing.T) {
	web, err := testweb.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	web.Host("shop.test").Page("/", "x")
	for _, x := range []struct {
		name string
		base func(m *moments) http.RoundTripper
		want []string
	}{
		{"a base of any kind", func(m *moments) http.RoundTripper { return m }, []string{"sending", "base", "entered"}},
		{"net/http's transport", func(*moments) http.RoundTripper { return http.DefaultTransport.(*http.Transport) },
			[]string{"sending", "traced", "entered", "inside"}},
		{"one of net/http's that needs no connection", func(m *moments) http.RoundTripper {
			base := &http.Transport{}
			base.RegisterProtocol("http", m)
			return base
		}, []string{"sending", "traced", "base", "entered"}},
		{"a base around net/http's", func(m *moments) http.RoundTripper { return around{m, http.DefaultTransport} },
			[]string{"sending", "base", "entered", "inside"}},
	} {
		m := &moments{testLayer: testLayer{kind: Throttle}}
		client := &http.Client{Transport: Transport(x.base(m), Config{}, m)}
		resp, err := client.Get("http://shop.test/")
		if err != nil {
			t.Fatalf("%s: Get = %v, want nil", x.name, err)
		}
		_ = resp.Body.Close()
		if !slices.Equal(m.noted, x.want) {
			t.Errorf("%s: told %q, want %q", x.name, m.noted, x.want)
		}
	}
}

type around struct {
	m    *moments
	next http.RoundTripper
}

func (a around) RoundTrip(r *http.Request) (*http.Response, error) {
	a.m.note("base")
	return a.next.RoundTrip(r)
}

func TestWhatIsReadOfABodyIsToldAsItIsReadAndAlsoAfterTheHopEnded(t *testing.T) {
	web := testweb.NewMemory()
	defer web.Close()
	web.Host("shop.test").Page("/", strings.Repeat("x", 1000)).Answer("/from", testweb.Answer{Redirect: "/", Body: "moved"})
	m := &moments{testLayer: testLayer{kind: Throttle}}
	client := &http.Client{Transport: Transport(web.Transport(), Config{}, m)}
	resp, err := client.Get("http://shop.test/from") // the redirect's turn ends with its headers, and net/http reads its body after that
	if err != nil {
		t.Fatal(err)
	}
	if m.read != len("moved") {
		t.Errorf("%d octets told of the redirect, want %d", m.read, len("moved"))
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 10)
	if m.read < 15 {
		t.Errorf("%d octets told in the middle of the body, want 15 at least", m.read)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	if m.read != 1005 {
		t.Errorf("%d octets told, want 1005", m.read)
	}
}

func TestWhatIsRefusedIsNeverSending(t *testing.T) {
	m := &moments{testLayer: testLayer{kind: Throttle}}
	after := refuser()
	after.kind = Guard
	client := &http.Client{Transport: Transport(m, Config{}, m, after)}
	if _, err := client.Get("http://shop.test/private"); err == nil {
		t.Error("Get of what is refused = nil, want an error")
	}
	if len(m.noted) != 0 {
		t.Errorf("told %q, want nothing", m.noted)
	}
}
