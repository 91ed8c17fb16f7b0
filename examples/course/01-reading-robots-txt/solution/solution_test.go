package solution

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/01-reading-robots-txt/check"
)

func TestTheSolutionSolvesTheTask(t *testing.T) { check.Crawl(t, Crawl) }
