//go:build task

package task

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/07-cache-while-developing/check"
)

func TestTheTaskIsSolved(t *testing.T) { check.Titles(t, Titles) }
