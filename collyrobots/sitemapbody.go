package collyrobots

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
)

// gzipLayers is how often a sitemap may be gzipped: as a file, and once more by the server that sends it.
const gzipLayers = 2

// unpacked is body, gunzipped if it is gzipped, whatever its name and its header say. It yields errSitemapTooLong behind the limit
// of octets, of each layer.
func unpacked(body io.Reader, limit int64) (*bufio.Reader, error) {
	b := bufio.NewReader(&cappedReader{body, limit})
	for range gzipLayers {
		magic, _ := b.Peek(2) // an error comes with the first read
		if !bytes.Equal(magic, []byte{0x1F, 0x8B}) {
			return b, nil
		}
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, err
		}
		b = bufio.NewReader(&cappedReader{z, limit})
	}
	return b, nil
}

// cappedReader reads at most left octets and fails if there are more.
type cappedReader struct {
	r    io.Reader
	left int64
}

func (c *cappedReader) Read(p []byte) (int, error) {
	if c.left < 0 {
		return 0, errSitemapTooLong
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.left+1)])
	if c.left -= int64(n); c.left < 0 {
		return n - 1, errSitemapTooLong
	}
	return n, err
}
