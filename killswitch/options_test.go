package killswitch

import (
	"testing"

	"github.com/collyetiquette/etiquette/internal/chain"
)

func TestRefusalsAreThoseOfTheChain(t *testing.T) {
	for own, want := range map[Refusals]chain.Refusals{RefusalsAuto: chain.RefusalsAuto, RefusalsSkip: chain.RefusalsSkip, RefusalsError: chain.RefusalsError} {
		if got := chain.Refusals(own); got != want {
			t.Errorf("%d is %d for the chain, want %d", own, got, want)
		}
	}
	if _, err := New(Options{Refusals: 3}); err == nil {
		t.Error("New with Refusals 3 = nil, want an error")
	}
}
