//go:build task

package task

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/04-identity/check"
)

func TestTheTaskIsSolved(t *testing.T) { check.NewCollector(t, NewCollector) }
