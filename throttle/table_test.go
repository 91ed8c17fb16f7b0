package throttle

import (
	"fmt"
	"hash/maphash"
	"testing"
)

func TestTheTableFindsWhatWasPutAndNothingElse(t *testing.T) {
	seed := maphash.MakeSeed()
	for name, hash := range map[string]func(string) uint64{
		"well spread":   func(s string) uint64 { return maphash.String(seed, s) },
		"all in a heap": func(string) uint64 { return 7 << 8 },
	} {
		var tab table
		tab.rebuild(8, hash, nil)
		const n = 500
		for i := range n {
			if tab.count >= roomAt(len(tab.slots)) {
				tab.rebuild(8, hash, func(*host) bool { return true })
			}
			h := &host{name: fmt.Sprint("h", i)}
			tab.put(h, hash(h.name))
		}
		tab.rebuild(8, hash, func(h *host) bool { return len(h.name)%2 == 0 }) // h0 to h9, h100 to h499
		for i := range 2 * n {
			name := fmt.Sprint("h", i)
			want := i < n && len(name)%2 == 0
			if got := tab.get(name, hash(name)); (got != nil) != want || want && got.name != name {
				t.Errorf("%s: get(%s) = %v, want it there: %v", name, name, got, want)
			}
		}
		seen := 0
		tab.all(func(*host) { seen++ })
		if seen != 410 || tab.count != 410 {
			t.Errorf("%s: %d hosts, count %d, want 410", name, seen, tab.count)
		}
	}
}
