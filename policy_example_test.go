package etiquette

import (
	"errors"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/go-cmp/cmp"
)

const exampleFile = "etiquette.example.yaml"

// withSettings is the example with the settings that are commented out put in force.
func withSettings(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(?m)^( *)#([a-z-])`).ReplaceAll(text, []byte("$1$2"))
}

func TestTheExampleIsAPolicyThatIsNotImpolite(t *testing.T) {
	p, err := ReadPolicy(exampleFile)
	if err != nil {
		t.Fatalf("ReadPolicy(%q) = %v", exampleFile, err)
	}
	if got := p.Lint(); len(got) != 0 {
		t.Errorf("Lint() = %q, want nothing", got)
	}
}

func TestTheExampleHasEveryKeyAndNoOther(t *testing.T) {
	r := &policyReader{file: exampleFile, places: noPlaces()}
	root := r.parse(withSettings(t))
	if root == nil {
		t.Fatal(errors.Join(r.errs...))
	}
	got := keysIn(root, "")
	want := keysFor(reflect.TypeFor[Policy](), "")
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(slices.Compact(want), slices.Compact(got)); diff != "" {
		t.Errorf("keys of %s (-want +got):\n%s", exampleFile, diff)
	}
	var p Policy
	if r.decode(root, &p); len(r.errs) > 0 {
		t.Errorf("with every setting in force: %v", errors.Join(r.errs...))
	}
}

func TestEveryKeyOfTheExampleIsExplained(t *testing.T) {
	text, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	key := regexp.MustCompile(`^ *#?([a-z_0-9]+):`)
	explained := ""
	for i, line := range strings.Split(string(text), "\n") {
		switch m := key.FindStringSubmatch(line); {
		case strings.HasPrefix(strings.TrimSpace(line), "# "):
			explained = "yes"
		case strings.TrimSpace(line) == "":
			explained = ""
		case m != nil && explained == "" && m[1] != "throttle" && m[1] != "robots" && m[1] != "kill_switch": // these are explained key by key
			t.Errorf("line %d: %s has no comment in front of it", i+1, m[1])
		}
	}
}

// keysIn are the paths of all keys of a tree, list items and hosts left out.
func keysIn(n ast.Node, path string) []string {
	var out []string
	if s, ok := n.(*ast.SequenceNode); ok {
		for _, item := range s.Values {
			out = append(out, keysIn(item, path+"[]")...)
		}
		return out
	}
	all, _ := entries(n)
	for _, e := range all {
		key := e.Key.GetToken().Value
		if path == "identity.per_host" || path == "identity.browser_like" {
			continue
		}
		at := join(path, key)
		out = append(append(out, at), keysIn(e.Value, at)...)
	}
	return out
}

// keysFor are the paths of all keys that a policy file may have.
func keysFor(t reflect.Type, path string) []string {
	var out []string
	for _, f := range fieldsOf(t, path) {
		at, inner, in := keyPath(join(path, f.Name)), f.Type, join(path, f.Name)
		out = append(out, at)
		if inner.Kind() == reflect.Slice {
			inner, in = inner.Elem(), in+"[]"
		}
		if inner.Kind() == reflect.Struct && !readsText(inner) {
			out = append(out, keysFor(inner, in)...)
		}
	}
	return out
}

// A field of a new kind must be given a way to be written, or be left to code, before it can be forgotten.
func TestEveryKeyCanBeWritten(t *testing.T) {
	var look func(typ reflect.Type, path string)
	look = func(typ reflect.Type, path string) {
		for _, f := range fieldsOf(typ, path) {
			inner, at := f.Type, join(path, f.Name)
			if inner.Kind() == reflect.Slice {
				inner = inner.Elem()
			}
			switch named := inner.PkgPath() != ""; {
			case readsText(inner):
			case inner.Kind() == reflect.Struct:
				look(inner, at)
			case inner == reflect.TypeFor[map[string]string]():
			case !named && slices.Contains([]reflect.Kind{reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64}, inner.Kind()):
			default:
				t.Errorf("%s is a %s: no word of a file can be one; give wordsOf its words", at, inner)
			}
			if inner.Kind() == reflect.Int64 && inner != reflect.TypeFor[time.Duration]() && !slices.Contains([]string{"CacheBytes", "MaxBody", "Bytes"}, f.Name) {
				t.Errorf("%s is an int64, which a file takes for a number of bytes: is it one?", at)
			}
		}
	}
	look(reflect.TypeFor[Policy](), "")
}

func TestKeysAreTheFieldsInLowerCase(t *testing.T) {
	for field, want := range map[string]string{
		"UserAgent": "user_agent", "ContactURL": "contact_url", "Ignore451": "ignore_451", "StopAllOnCorrupt": "stop_all_on_corrupt", "Take": "take",
		"MaxAge": "max_age", "TLSConfig": "tls_config", "AfterThirtyDays": "after_thirty_days",
	} {
		if got := keyName(field); got != want {
			t.Errorf("keyName(%q) = %q, want %q", field, got, want)
		}
	}
	for path, want := range map[string]string{
		"Pace[0].Delay": "pace[0].delay", `Identity.PerHost["A.Example"]`: `identity.per_host["A.Example"]`, "Robots": "robots", "": "", "Take[1].Types[12]": "take[1].types[12]",
	} {
		if got := keyPath(path); got != want {
			t.Errorf("keyPath(%q) = %q, want %q", path, got, want)
		}
	}
}
