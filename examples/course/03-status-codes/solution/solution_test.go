package solution

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/03-status-codes/check"
)

func TestTheSolutionSolvesTheTask(t *testing.T) { check.Class(t, Class) }
