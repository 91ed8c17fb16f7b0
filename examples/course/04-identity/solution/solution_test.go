package solution

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/04-identity/check"
)

func TestTheSolutionSolvesTheTask(t *testing.T) { check.NewCollector(t, NewCollector) }
