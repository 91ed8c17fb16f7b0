//go:build task

package task

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/10-sitemaps/check"
)

func TestTheTaskIsSolved(t *testing.T) { check.Changed(t, Changed) }
