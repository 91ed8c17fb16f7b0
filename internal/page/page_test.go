package page_test

import (
	"testing"
)

func TestTheHostsAreShownWithTheirStates(t *testing.T) {
	w := newWorld(t)
	w.crawlOfMany()
	a := w.get("/")
	t.Log(a.body)
}
