//go:build task

package task

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/05-throttling-and-crawl-delay/check"
)

func TestTheTaskIsSolved(t *testing.T) { check.NewCollector(t, NewCollector) }
