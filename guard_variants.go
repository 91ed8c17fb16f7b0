package etiquette

import (
	"hash/maphash"
	"math/bits"
	"net/url"
	"sync"
)

const (
	// manyVariants is how many queries of one path make it look endless.
	manyVariants = 1000
	variantBits  = 1024
	// fullBits is how many of variantBits are set by about manyVariants different queries: 1024 × (1 − e^(−1000/1024)).
	fullBits = 638
	// maxPaths bounds the paths that are counted, at some 150 bytes each.
	maxPaths = 4096
)

// variants counts the different queries of each path, so that a calendar or a set of facets that has no end is noticed. It keeps no URL: a query is one
// bit of its path's small map, and the number of bits says about how many there were. It is safe for concurrent use.
type variants struct {
	seed maphash.Seed

	mu    sync.Mutex // guards what follows
	paths map[uint64]*[variantBits / 64]uint64
	told  map[uint64]struct{}
}

func newVariants() *variants { return &variants{seed: maphash.MakeSeed()} }

// add counts u, and reports whether its path has become one that looks endless: once for each.
func (v *variants) add(u *url.URL) bool {
	if u.RawQuery == "" {
		return false
	}
	path, query := v.hash(u.Host, u.EscapedPath()), v.hash("", u.RawQuery)%variantBits
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, told := v.told[path]; told {
		return false
	}
	seen := v.paths[path]
	if seen == nil {
		seen = v.start(path)
	}
	seen[query/64] |= 1 << (query % 64)
	if bitsIn(seen) < fullBits {
		return false
	}
	delete(v.paths, path)
	if v.told == nil || len(v.told) >= maxPaths {
		v.told = make(map[uint64]struct{})
	}
	v.told[path] = struct{}{}
	return true
}

func (v *variants) hash(host, rest string) uint64 {
	var h maphash.Hash
	h.SetSeed(v.seed)
	_, _ = h.WriteString(host)
	_ = h.WriteByte(0)
	_, _ = h.WriteString(rest)
	return h.Sum64()
}

// start begins to count a path. If there are too many, those with the fewest queries go. The caller holds mu.
func (v *variants) start(path uint64) *[variantBits / 64]uint64 {
	if v.paths == nil {
		v.paths = make(map[uint64]*[variantBits / 64]uint64)
	}
	for few := 1; len(v.paths) >= maxPaths; few *= 4 {
		for p, seen := range v.paths {
			if bitsIn(seen) <= few {
				delete(v.paths, p)
			}
		}
	}
	seen := new([variantBits / 64]uint64)
	v.paths[path] = seen
	return seen
}

func bitsIn(seen *[variantBits / 64]uint64) int {
	n := 0
	for _, word := range seen {
		n += bits.OnesCount64(word)
	}
	return n
}
