//go:build task

package task

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/03-status-codes/check"
)

func TestTheTaskIsSolved(t *testing.T) { check.Class(t, Class) }
