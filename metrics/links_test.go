package metrics_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Whoever does not import this package must not pay for the client that it needs.
func TestNothingElseLinksPrometheus(t *testing.T) {
	const module = "github.com/collyetiquette/etiquette"
	list := func(args ...string) []string {
		t.Helper()
		out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		return strings.Fields(string(out))
	}
	has := func(packages []string, part string) bool {
		for _, p := range packages {
			if strings.Contains(p, part) {
				return true
			}
		}
		return false
	}
	if !has(list("-deps", module+"/metrics"), "github.com/prometheus/") {
		t.Error("metrics does not link the Prometheus client: this test looks for the wrong thing")
	}
	var others []string
	for _, p := range list(module + "/...") {
		if p != module+"/metrics" {
			others = append(others, p)
		}
	}
	if len(others) < 10 {
		t.Fatalf("packages = %q, want all of the module", others)
	}
	for _, dep := range list(append([]string{"-deps"}, others...)...) {
		if strings.Contains(dep, "prometheus") || dep == module+"/metrics" {
			t.Errorf("a package besides metrics links %s", dep)
		}
	}
}
