package chain

import (
	"errors"
	"net/http"
)

// net/http sends an HTTP/2 request once more by itself if the server refused it before it looked at it (RFC 9113, 8.7), and asks for the second connection
// while it holds the lock of all its HTTP/2 connections: whoever waited for a turn there would hold up all hosts, and those that he waits for. So the
// attempt is ended in its place, and what is to be sent again is a hop of its own, from the top of the chain. So is what was allowed by rules that ran out
// while it waited for its second turn.

// mostAnew is how often one hop is sent anew, as in net/http.
const mostAnew = 6

// errAnew ends an attempt that net/http was about to repeat.
var errAnew = errors.New("etiquette: the server did not take the request on this connection")

var errReadOnce = errors.New("etiquette: not sent again: the body of the request can be read only once")

// anew is the hop in the place of one that ended with errAnew.
func (h *Hop) anew() *Hop {
	tr := h.trail
	tr.anew++
	return h.chain.newHopAfter(h.given, h.user, h.robot, tr)
}

// rewind gives what is sent anew its body from the beginning.
func (h *Hop) rewind() error {
	if h.trail.anew == 0 || h.out.Body == nil || h.out.Body == http.NoBody {
		return nil
	}
	if h.out.GetBody == nil {
		return errReadOnce
	}
	body, err := h.out.GetBody()
	if err != nil {
		return err
	}
	h.out.Body = body
	return nil
}
