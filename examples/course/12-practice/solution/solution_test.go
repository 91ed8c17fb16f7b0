package solution

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/12-practice/check"
)

func TestTheSolutionSolvesTheTask(t *testing.T) { check.New(t, New) }
