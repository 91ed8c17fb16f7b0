package solution

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/05-throttling-and-crawl-delay/check"
)

func TestTheSolutionSolvesTheTask(t *testing.T) { check.NewCollector(t, NewCollector) }
