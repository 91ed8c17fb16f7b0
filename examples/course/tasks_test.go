package course

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// event is a line of go test -json, as far as it is of use here.
type event struct{ Action, Package, Test, Output string }

// A task must compile, and its test must fail by telling what is wrong: not by a panic, a deadlock or a build that breaks.
func TestEachTaskFailsAsGiven(t *testing.T) {
	args := []string{"test", "-json", "-tags=task", "-vet=off", "-timeout=60s", "-ldflags=-s -w"}
	for _, dir := range lessons(t) {
		args = append(args, "./"+dir+"/task")
	}
	out, err := goTool(t, args...)
	if err == nil {
		t.Error("go test passed all tasks")
	}
	failed, printed := make(map[string]bool), make(map[string]string)
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var e event
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("go test -json: %v\n%s", err, out)
		}
		dir := filepath.Base(filepath.Dir(e.Package))
		printed[dir] += e.Output
		if e.Action == "fail" && e.Test != "" {
			failed[dir] = true
		}
	}
	for _, dir := range lessons(t) {
		switch said := printed[dir]; {
		case !failed[dir]:
			t.Errorf("%s: no test of the task fails as given:\n%s", dir, said)
		case strings.Contains(said, "panic: ") || strings.Contains(said, "deadlock:") || !strings.Contains(said, "check.go:"):
			t.Errorf("%s: the task's test does not fail by saying what is wrong:\n%s", dir, said)
		}
	}
}
