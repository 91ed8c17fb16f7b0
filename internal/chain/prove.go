package chain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gocolly/colly/v2"
)

// The devices rest on how Colly and net/http behave. Before the first Attach of a process they are tried on a scratch collector, in memory: a
// version that looks at the context before it sends, say, must be an error of Attach and not a crawl that fails at random.

var proven = sync.OnceValue(func() error {
	if err := collyLayout().err; err != nil {
		return err
	}
	if err := prove(); err != nil {
		return fmt.Errorf("etiquette: this version of Colly does not behave as the chain needs: %w", err)
	}
	return nil
})

const proofVisits = 6

func prove() error {
	var served atomic.Int32
	base := roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Context().Err() != nil {
			return nil, r.Context().Err()
		}
		served.Add(1)
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("ok")), Request: r}, nil
	})
	col := &colly.Collector{}
	col.Init() // and not NewCollector, which follows COLLY_ variables of the environment
	col.Async = true
	client, err := checkBefore(col, base)
	if err != nil {
		return err
	}
	c := wire(col, client, Config{Base: base})
	c.watch(col)
	if err := col.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: 2}); err != nil {
		return err
	}
	var failed error
	var answered atomic.Int32
	var mu sync.Mutex
	col.OnError(func(_ *colly.Response, err error) {
		mu.Lock()
		defer mu.Unlock()
		failed = errors.Join(failed, err)
	})
	col.OnResponse(func(*colly.Response) { answered.Add(1) })
	for i := range proofVisits {
		if err := col.Visit(fmt.Sprintf("http://proof.invalid/%d", i)); err != nil {
			return err
		}
	}
	col.Wait()
	if failed != nil {
		return failed
	}
	if served.Load() != proofVisits || answered.Load() != proofVisits {
		return fmt.Errorf("%d of %d visits came through", answered.Load(), proofVisits)
	}
	// A transport that takes the front's place must send nothing.
	clone := col.Clone()
	clone.Async = false
	clone.WithTransport(&http.Transport{DialContext: neverDial})
	if err := clone.Visit("http://proof.invalid/past"); !errors.Is(err, ErrBypassed) {
		return fmt.Errorf("a replaced transport was not stopped: %v", err)
	}
	return nil
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func neverDial(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("a request was about to be dialled past the chain")
}
