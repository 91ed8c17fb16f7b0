package etiquette

import (
	"io"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// cutBody is a body of which no more than so many bytes are taken.
type cutBody struct {
	io.ReadCloser
	left, most int64
	status     int
	hop        *chain.Hop
	by         chain.Layer
	err        error // once there was more
}

func (b *cutBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left >= 0 {
		return n, err
	}
	_ = b.Close() // the transfer is broken off, and the turn ends
	e := &UnwantedError{MaxBytes: b.most, Cut: true}
	e.fill(b.hop, b.status)
	b.err = b.hop.RefuseRest(b.by, e)
	return n + int(b.left), b.err
}
