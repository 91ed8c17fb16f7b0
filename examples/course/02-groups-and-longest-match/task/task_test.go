//go:build task

package task

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/02-groups-and-longest-match/check"
)

func TestTheTaskIsSolved(t *testing.T) { check.Allowed(t, Allowed) }
