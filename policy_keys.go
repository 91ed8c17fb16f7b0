package etiquette

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
)

// The keys of a policy file are the fields of Policy and of the structs in it. Nothing else names them, so that a field cannot be without its key.

// notInFile are fields that code may set and a file must not, with what to write instead.
var notInFile = map[string]string{
	"KillSwitch.Token": "a secret does not belong into this file: write it into a file of its own and name that one as token_file",
}

// fieldsOf are the fields of a struct that a file may set, in their order. path is where the struct stands.
func fieldsOf(t reflect.Type, path string) []reflect.StructField {
	var out []reflect.StructField
	for i := range t.NumField() {
		f := t.Field(i)
		switch f.Type.Kind() {
		case reflect.Func, reflect.Interface, reflect.Pointer:
			continue
		}
		if f.IsExported() && elsewhereAt(path, f.Name) == "" && notInFile[join(path, f.Name)] == "" {
			out = append(out, f)
		}
	}
	return out
}

// elsewhereAt is elsewhere for the struct at a path: only the parts' Options have such fields.
func elsewhereAt(path, field string) string {
	if _, isPart := saidElsewhere[path]; !isPart {
		return ""
	}
	return elsewhere(path, field)
}

// fieldOf is the name of the field that a key sets.
func fieldOf(t reflect.Type, path, key string) (string, bool) {
	for _, f := range fieldsOf(t, path) {
		if keyName(f.Name) == key {
			return f.Name, true
		}
	}
	return "", false
}

// keyName is a field's key: "MaxCrawlDelay" is "max_crawl_delay", "ContactURL" is "contact_url", "Ignore451" is "ignore_451".
func keyName(field string) string {
	var b strings.Builder
	runes := []rune(field)
	for i, c := range runes {
		if i > 0 {
			before := runes[i-1]
			word := unicode.IsUpper(c) && (unicode.IsLower(before) || unicode.IsDigit(before) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
			number := unicode.IsDigit(c) && !unicode.IsDigit(before)
			if word || number {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// keyPath is a path in Go's names as keys: "Pace[0].Delay" is "pace[0].delay". What stands in brackets stays.
func keyPath(path string) string {
	var b strings.Builder
	for path != "" {
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			end = len(path)
		}
		b.WriteString(keyName(path[:end]))
		path = path[end:]
		if strings.HasPrefix(path, "[") {
			end := strings.Index(path, "]")
			if quoted := strings.Index(path, `"]`); strings.HasPrefix(path, `["`) && quoted > 0 {
				end = quoted + 1
			}
			b.WriteString(path[:end+1])
			path = path[end+1:]
		}
		if strings.HasPrefix(path, ".") {
			b.WriteByte('.')
			path = path[1:]
		}
	}
	return b.String()
}

func join(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}

// unknownKey says what may have been meant.
func unknownKey(t reflect.Type, path, key string) string {
	text := fmt.Sprintf("the key %q is not known", key)
	for i := range t.NumField() {
		if name := t.Field(i).Name; keyName(name) == key {
			switch {
			case notInFile[join(path, name)] != "":
				return text + ": " + notInFile[join(path, name)]
			case elsewhereAt(path, name) != "":
				return fmt.Sprintf("%s here: it is %s", text, keyPath(strings.TrimPrefix(elsewhereAt(path, name), "Policy.")))
			}
			return text + ": it can only be set in code"
		}
	}
	var keys []string
	for _, f := range fieldsOf(t, path) {
		keys = append(keys, keyName(f.Name))
	}
	if best := nearest(key, keys); best != "" {
		return fmt.Sprintf("%s: did you mean %q?", text, best)
	}
	if there := findKey(reflect.TypeFor[Policy](), "", key); there != "" {
		return fmt.Sprintf("%s here: it is %s", text, there)
	}
	return text + ": here may stand " + keyList(t, path)
}

func keyList(t reflect.Type, path string) string {
	var keys []string
	for _, f := range fieldsOf(t, path) {
		keys = append(keys, keyName(f.Name))
	}
	return strings.Join(keys, ", ")
}

// findKey is where in the whole policy a key stands; empty: nowhere.
func findKey(t reflect.Type, path, key string) string {
	for _, f := range fieldsOf(t, path) {
		at := join(path, f.Name)
		if keyName(f.Name) == key {
			return keyPath(at)
		}
		inner := f.Type
		if inner.Kind() == reflect.Slice {
			inner, at = inner.Elem(), at+"[]"
		}
		if inner.Kind() == reflect.Struct && !readsText(inner) {
			if there := findKey(inner, at, key); there != "" {
				return there
			}
		}
	}
	return ""
}

// nearest is the word that is a typing error away, or "".
func nearest(word string, words []string) string {
	best, at := "", 1+min(2, len(word)/3)
	for _, w := range words {
		if d := distance(strings.ToLower(word), w); d < at {
			best, at = w, d
		}
	}
	if best != "" {
		return best
	}
	for _, w := range words { // a word without its beginning or its end
		if len(word) >= 3 && strings.HasPrefix(w, word) || len(word) >= 4 && strings.Contains(w, word) || len(w) >= 4 && strings.Contains(word, w) {
			return w
		}
	}
	return ""
}

// distance is how many letters must be put in, taken out, exchanged or swapped with their neighbour.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

// readsText reports whether a value of a type is written as one word, although it is a struct or a number underneath.
func readsText(t reflect.Type) bool {
	_, named := wordsOf[t]
	return named || slices.Contains([]reflect.Type{reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration]()}, t)
}
