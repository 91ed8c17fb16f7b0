package report

// maxKeptBytes bounds the texts of the skips that are kept in memory: pages may be full of links as long as a book.
const maxKeptBytes = 64 << 20

// ring holds the latest skips.
type ring struct {
	skips []Skip
	first int // the oldest
	n     int
	bytes int
}

// add keeps s and at most most skips in all; the oldest go first.
func (r *ring) add(s Skip, most int) {
	if most <= 0 {
		return
	}
	for size := textBytes(&s); r.n > 0 && (r.n >= most || r.bytes+size > maxKeptBytes); {
		r.drop()
	}
	if r.n == len(r.skips) {
		r.grow(most)
	}
	r.skips[(r.first+r.n)%len(r.skips)] = s
	r.n++
	r.bytes += textBytes(&s)
}

func (r *ring) drop() {
	oldest := &r.skips[r.first]
	r.bytes -= textBytes(oldest)
	*oldest = Skip{}
	r.first = (r.first + 1) % len(r.skips)
	r.n--
}

func (r *ring) grow(most int) {
	bigger := make([]Skip, min(max(2*len(r.skips), 16), most))
	r.copyTo(bigger)
	r.skips, r.first = bigger, 0
}

// copyTo copies the skips, oldest first.
func (r *ring) copyTo(out []Skip) {
	n := copy(out, r.skips[r.first:min(r.first+r.n, len(r.skips))])
	copy(out[n:], r.skips[:r.n-n])
}

func textBytes(s *Skip) int {
	return len(s.URL) + len(s.Method) + len(s.Host) + len(s.Detail) + len(s.Rule) + len(s.Referrer)
}
