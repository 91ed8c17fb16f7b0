package solution

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/07-cache-while-developing/check"
)

func TestTheSolutionSolvesTheTask(t *testing.T) { check.Titles(t, Titles) }
