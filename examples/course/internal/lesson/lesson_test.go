package lesson

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

func TestSawPrintsTheServersLogOnce(t *testing.T) {
	var out strings.Builder
	err := run(&out, func(out io.Writer, web *testweb.Web) error {
		resp, err := http.Get("http://shop.test/a")
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		Saw(out, web)
		Saw(out, web)
		return errors.New("the lesson's own")
	})
	if err == nil || err.Error() != "the lesson's own" {
		t.Errorf("run = %v, want the lesson's error", err)
	}
	if got, want := out.String(), "  GET http://shop.test/a\n  nothing\n"; got != want {
		t.Errorf("Saw printed %q, want %q", got, want)
	}
}

func TestAGapIsRoundedDown(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0.0 s", 99 * time.Millisecond: "0.0 s", 1999 * time.Millisecond: "1.9 s", 90 * time.Second: "90.0 s"} {
		if got := Gap(d); got != want {
			t.Errorf("Gap(%s) = %q, want %q", d, got, want)
		}
	}
}
