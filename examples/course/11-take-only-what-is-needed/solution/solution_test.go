package solution

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/11-take-only-what-is-needed/check"
)

func TestTheSolutionSolvesTheTask(t *testing.T) { check.Offers(t, Offers) }
