package etiquette

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// policyReader turns the tree of a policy file into a Policy. It notes where each value stands, so that what is found wrong later can be told
// with its place too.
type policyReader struct {
	file   string
	errs   []error
	places map[string]*token.Position // by path, such as "Pace[0].Delay"
}

// bad notes that something is wrong. at nil: with the file as a whole. path is one in Go's names.
func (r *policyReader) bad(at *token.Position, path, format string, args ...any) {
	r.badBecause(nil, at, path, fmt.Sprintf(format, args...))
}

func (r *policyReader) badBecause(err error, at *token.Position, path, text string) {
	e := &PolicyError{File: r.file, Key: keyPath(path), Text: text, err: err}
	if at != nil {
		e.Line, e.Column = at.Line, at.Column
	}
	r.errs = append(r.errs, e)
}

func (r *policyReader) decode(root ast.Node, p *Policy) {
	r.value(root, reflect.ValueOf(p).Elem(), "")
}

// value decodes one node. Its place in the Policy decides of what kind it must be.
func (r *policyReader) value(n ast.Node, v reflect.Value, path string) {
	at := placeOf(n)
	r.places[path] = at
	switch n := n.(type) {
	case *ast.NullNode:
		r.bad(at, path, "it has no value: leave it out, or write one")
		return
	case *ast.AliasNode:
		r.bad(at, path, `"*" begins an alias here: a pattern must stand in quotes, such as "*.shop.example"`)
		return
	case *ast.AnchorNode, *ast.TagNode:
		r.bad(at, path, "anchors and tags (%s) are not read: write the value as it is", n.GetToken().Value)
		return
	}
	switch {
	case readsText(v.Type()):
		r.scalar(n, v, path)
	case v.Kind() == reflect.Struct:
		r.structure(n, v, path)
	case v.Kind() == reflect.Slice:
		r.list(n, v, path)
	case v.Kind() == reflect.Map:
		r.table(n, v, path)
	default:
		r.scalar(n, v, path)
	}
}

// valueOf decodes the value of a key. One without a value is told at the key.
func (r *policyReader) valueOf(e *ast.MappingValueNode, v reflect.Value, path string) {
	if _, none := e.Value.(*ast.NullNode); none || e.Value == nil {
		r.bad(placeOf(e.Key), path, "it has no value: leave the key out, or write one")
		return
	}
	r.value(e.Value, v, path)
}

// placeOf is where a node begins.
func placeOf(n ast.Node) *token.Position {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		n = m.Values[0].Key
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		n = m.Key
	}
	if t := n.GetToken(); t != nil {
		return t.Position
	}
	return nil
}

// entries are the keys and values of a mapping; false: n is none.
func entries(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

// keyOf is the text of a key; a fault is noted.
func (r *policyReader) keyOf(e *ast.MappingValueNode, path string) (string, bool) {
	if s, ok := e.Key.(*ast.StringNode); ok {
		return s.Value, true
	}
	r.bad(placeOf(e.Key), path, "%q is no key: a key is plain text; put it in quotes if it is one", e.Key.GetToken().Value)
	return "", false
}

// structure decodes a mapping whose keys are known.
func (r *policyReader) structure(n ast.Node, v reflect.Value, path string) {
	all, ok := entries(n)
	if !ok {
		r.bad(placeOf(n), path, "%s, where keys with values are expected: %s", kindOf(n), keyList(v.Type(), path))
		return
	}
	seen := make(map[string]*token.Position)
	for _, e := range all {
		key, ok := r.keyOf(e, path)
		if !ok || r.isTwice(seen, e, key, path) {
			continue
		}
		field, ok := fieldOf(v.Type(), path, key)
		if !ok {
			r.bad(placeOf(e.Key), path, "%s", unknownKey(v.Type(), path, key))
			continue
		}
		r.valueOf(e, v.FieldByName(field), join(path, field))
	}
}

// isTwice notes a key that was there before.
func (r *policyReader) isTwice(seen map[string]*token.Position, e *ast.MappingValueNode, key, path string) bool {
	at := placeOf(e.Key)
	if first := seen[key]; first != nil {
		r.bad(at, path, "the key %q is here twice, first in line %d: keep one", key, first.Line)
		return true
	}
	seen[key] = at
	return false
}

// list decodes a sequence.
func (r *policyReader) list(n ast.Node, v reflect.Value, path string) {
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		r.bad(placeOf(n), path, `%s, where a list is expected: write "[a, b]", or one "- " line for each`, kindOf(n))
		return
	}
	out := reflect.MakeSlice(v.Type(), len(s.Values), len(s.Values))
	for i, item := range s.Values {
		r.value(item, out.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
	v.Set(out)
}

// table decodes a mapping whose keys are hosts.
func (r *policyReader) table(n ast.Node, v reflect.Value, path string) {
	all, ok := entries(n)
	if !ok {
		r.bad(placeOf(n), path, "%s, where a line for each host is expected: %q", kindOf(n), "shop.example: a text")
		return
	}
	out := reflect.MakeMap(v.Type())
	seen := make(map[string]*token.Position)
	for _, e := range all {
		key, ok := r.keyOf(e, path)
		if !ok || r.isTwice(seen, e, key, path) {
			continue
		}
		at := fmt.Sprintf("%s[%q]", path, key)
		item := reflect.New(v.Type().Elem()).Elem()
		r.valueOf(e, item, at)
		out.SetMapIndex(reflect.ValueOf(key), item)
	}
	v.Set(out)
}

// kindOf is what a node is, for people.
func kindOf(n ast.Node) string {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "it is a group of keys"
	case *ast.SequenceNode:
		return "it is a list"
	}
	return fmt.Sprintf("it is the value %.40q", strings.TrimSpace(n.GetToken().Value))
}
