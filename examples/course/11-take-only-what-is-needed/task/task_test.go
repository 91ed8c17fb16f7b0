//go:build task

package task

import (
	"testing"

	"github.com/collyetiquette/etiquette/examples/course/11-take-only-what-is-needed/check"
)

func TestTheTaskIsSolved(t *testing.T) { check.Offers(t, Offers) }
