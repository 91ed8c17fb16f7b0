package solution

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/10-sitemaps/check"
)

func TestTheSolutionSolvesTheTask(t *testing.T) { check.Changed(t, Changed) }
