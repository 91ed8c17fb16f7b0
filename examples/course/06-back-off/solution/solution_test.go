package solution

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/06-back-off/check"
)

func TestTheSolutionSolvesTheTask(t *testing.T) { check.Pause(t, Pause) }
