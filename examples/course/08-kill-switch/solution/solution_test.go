package solution

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/08-kill-switch/check"
)

func TestTheSolutionSolvesTheTask(t *testing.T) { check.Stop(t, Stop) }
