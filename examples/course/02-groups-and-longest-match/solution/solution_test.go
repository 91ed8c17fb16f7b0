package solution

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/02-groups-and-longest-match/check"
)

func TestTheSolutionSolvesTheTask(t *testing.T) { check.Allowed(t, Allowed) }
