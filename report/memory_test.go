package report

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

func TestAHostOfAFewRequestsNeedsLessThanAKilobyte(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const n = 20_000
	before := heap()
	var r Report
	start := time.Now()
	for i := range n {
		for k := range time.Duration(10) {
			r.Sent(Request{Host: fmt.Sprintf("h%d.test", i), Time: start.Add(k * time.Second), Interval: time.Second, Source: FromDefault})
		}
	}
	each := (heap() - before) / n
	runtime.KeepAlive(&r)
	if most := uint64(1000); each > most {
		t.Errorf("a host of 10 requests needs %d bytes, want at most %d", each, most)
	}
}
