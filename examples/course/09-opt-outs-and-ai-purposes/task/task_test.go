//go:build task

package task

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/09-opt-outs-and-ai-purposes/check"
)

func TestTheTaskIsSolved(t *testing.T) { check.Collect(t, Collect) }
