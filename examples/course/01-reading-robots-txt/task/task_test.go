//go:build task

package task

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/01-reading-robots-txt/check"
)

func TestTheTaskIsSolved(t *testing.T) { check.Crawl(t, Crawl) }
