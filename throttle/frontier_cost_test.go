package throttle

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/gocolly/colly/v2/queue"
)

// heapInUse is what is in use after a collection.
func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// bytesEach is what one of n queued URLs costs beyond the length of the URL.
func bytesEach(t *testing.T, s queue.Storage, n, hosts int) int64 {
	t.Helper()
	q, err := queue.New(1, s)
	if err != nil {
		t.Fatal(err)
	}
	length := 0
	before := heapInUse()
	for i := range n {
		u := fmt.Sprintf("http://www%d.shop.test/some/page/%d", i%hosts, i)
		length += len(u)
		if err := q.AddURL(u); err != nil {
			t.Fatal(err)
		}
	}
	each := (heapInUse() - before - int64(length)) / int64(n)
	runtime.KeepAlive(q)
	return each
}

func TestAWaitingURLCostsAtMost250Bytes(t *testing.T) {
	const n = 20_000
	th, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	plain := bytesEach(t, &queue.InMemoryQueueStorage{}, n, 1000)
	for _, hosts := range []int{1, 1000} {
		got := bytesEach(t, NewFrontier(th, nil), n, hosts)
		t.Logf("%d URLs of %d hosts: %d bytes each and the URL; in Colly's own storage %d", n, hosts, got, plain)
		if got > 250 {
			t.Errorf("%d URLs of %d hosts cost %d bytes each beyond the URL, want at most 250", n, hosts, got)
		}
	}
}

func BenchmarkFrontierHandOut(b *testing.B) {
	th, err := New(Options{Rules: []LimitRule{{Delay: NoDelay}}})
	if err != nil {
		b.Fatal(err)
	}
	run := func(s queue.Storage, urls int) func(*testing.B) {
		return func(b *testing.B) {
			q, _ := queue.New(1, s)
			b.ReportAllocs()
			for i := range b.N {
				if i%urls == 0 {
					for j := range urls {
						_ = q.AddURL(fmt.Sprintf("http://h%d.test/", i+j))
					}
				}
				if _, err := s.GetRequest(); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.Run("colly", run(&queue.InMemoryQueueStorage{}, 100))
	b.Run("frontier", run(NewFrontier(th, nil), 100))
}
