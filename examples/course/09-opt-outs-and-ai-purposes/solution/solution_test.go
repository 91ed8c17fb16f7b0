package solution

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/09-opt-outs-and-ai-purposes/check"
)

func TestTheSolutionSolvesTheTask(t *testing.T) { check.Collect(t, Collect) }
