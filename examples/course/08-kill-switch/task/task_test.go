//go:build task

package task

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/08-kill-switch/check"
)

func TestTheTaskIsSolved(t *testing.T) { check.Stop(t, Stop) }
