//go:build task

package task

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/12-practice/check"
)

func TestTheTaskIsSolved(t *testing.T) { check.New(t, New) }
