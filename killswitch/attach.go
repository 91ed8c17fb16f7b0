package killswitch

import (
	"errors"
	"net/http"
	"reflect"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/chain"
)

// Attach puts a kill switch with a stop file in front of everything that the collector sends; see Options.File. A collector that has one with the
// same file keeps it, and that one is returned; one with other options is an error, and the first stays in force. If the file does not exist or
// cannot be read whole, the error says what to create, and a collector without a switch sends nothing until an Attach succeeds.
//
// Attach must not run while the collector has requests under way.
func Attach(c *colly.Collector, path string) (*Switch, error) {
	if path == "" {
		return nil, chain.Fail(c, chain.KillSwitch, errors.New("killswitch: Attach needs the path of a stop file"))
	}
	o := Options{File: path}
	if l := layerOf(c); l != nil {
		if reflect.DeepEqual(l.sw.opts, o) {
			return l.sw, l.sw.Attach(c)
		}
		return nil, &chain.TakenError{Layer: l}
	}
	s, err := New(o)
	if err != nil {
		return nil, chain.Fail(c, chain.KillSwitch, err)
	}
	if err := s.Attach(c); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// Attach puts the switch in front of everything that a collector and its clones send. Any number of collectors may share one switch. A second
// time is a no-op; a collector that has another switch is an error, and the first stays in force.
//
// Attach must not run while the collector has requests under way.
func (s *Switch) Attach(c *colly.Collector) error {
	_, err := chain.Attach(c, s.opts.config(), s.layer)
	return err
}

// layerOf is the collector's kill switch layer, or nil.
func layerOf(c *colly.Collector) *layer {
	ch := chain.Of(c)
	if ch == nil {
		return nil
	}
	l, _ := ch.Layer(chain.KillSwitch).(*layer)
	return l
}

// Transport puts the switch in front of next, for a plain http.Client. Nil means Options.Base, or the
// pack's own transport.
func (s *Switch) Transport(next http.RoundTripper) http.RoundTripper {
	return chain.Transport(next, s.opts.config(), s.layer)
}
