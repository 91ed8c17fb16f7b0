package etiquette

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxPolicyFile bounds a policy file, in bytes.
const maxPolicyFile = 256 << 10

// PolicyError is one thing that is wrong in a policy file.
type PolicyError struct {
	File         string // its path as it was given
	Line, Column int    // where, counted from 1; 0: the file as a whole
	Key          string // the key, such as "pace[0].delay"; empty: the file as a whole
	Text         string // what is wrong, and what would be right
	err          error  // what a part said
}

func (e *PolicyError) Error() string {
	var b strings.Builder
	b.WriteString("etiquette: " + e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	if e.Key != "" {
		b.WriteString(": " + e.Key)
	}
	return b.String() + ": " + e.Text
}

// Unwrap is what a part said of its options, or nil.
func (e *PolicyError) Unwrap() error { return e.err }

// ReadPolicy reads a policy file: YAML whose keys are the fields of [Policy] and of the Options in it, in lower case with "_" between words.
// etiquette.example.yaml shows and explains every key. What a file cannot hold, such as Base and OnSkip, is set in code afterwards, and so may be
// whatever is to be stricter; then the Policy goes to [New]. The file need not say who we are, if code does.
//
// It is strict: a key that is not known, one that is there twice, a value without its unit or of another kind, and what contradicts itself is an error.
// All of them are reported together; errors.As finds the first as a *[PolicyError], with its line and column. Paths in the file are
// relative to its folder.
func ReadPolicy(path string) (Policy, error) {
	text, err := readWhole(path)
	if err != nil {
		return Policy{}, err
	}
	return parsePolicy(path, text)
}

func readWhole(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("etiquette: ReadPolicy: %w", err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxPolicyFile+1))
	if err != nil {
		return nil, fmt.Errorf("etiquette: ReadPolicy: %w", err)
	}
	return text, nil
}

// parsePolicy is ReadPolicy for a text.
func parsePolicy(path string, text []byte) (Policy, error) {
	r := &policyReader{file: path, places: make(map[string]*token.Position)}
	var p Policy
	if root := r.parse(text); root != nil {
		r.decode(root, &p)
	}
	if len(r.errs) == 0 {
		r.judge(&p)
	}
	if len(r.errs) > 0 {
		return Policy{}, errors.Join(r.errs...)
	}
	p.resolve(filepath.Dir(path))
	return p, nil
}

// parse is the mapping that the file consists of; nil if there is none.
func (r *policyReader) parse(text []byte) (root ast.Node) {
	if len(text) > maxPolicyFile {
		r.bad(nil, "", "the file is larger than %d bytes: is it a policy?", maxPolicyFile)
		return nil
	}
	defer func() {
		if failed := recover(); failed != nil { // the parser is not ours
			r.bad(nil, "", "it cannot be read as YAML: %v", failed)
			root = nil
		}
	}()
	tokens := lexer.Tokenize(string(text))
	if deep := tooDeep(tokens); deep != nil {
		r.bad(deep.Position, "", "it is nested too deep for a policy")
		return nil
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		r.syntax(err, text)
		return nil
	}
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil:
		case doc.Body.Type() == ast.DirectiveType:
			r.bad(placeOf(doc.Body), "", "it has a %%-directive: leave it out")
		case root != nil:
			r.bad(placeOf(doc.Body), "", `a second document begins: a policy is one, without "---" in the middle`)
		default:
			root = doc.Body
		}
	}
	return root
}

// maxNesting is more than any policy needs. The parser takes its time for what is nested deep.
const maxNesting = 16

// tooDeep is the token that begins too many lists or mappings inside one another; nil: none does. Those of a block are indented, which takes room
// enough to be bounded by the file's size, unless they stand in one line.
func tooDeep(tokens token.Tokens) *token.Token {
	flow, inLine, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			inLine, line = 0, t.Position.Line
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.SequenceEntryType, token.MappingKeyType, token.TagType, token.AnchorType:
			inLine++
		}
		if flow > maxNesting || inLine > maxNesting {
			return t
		}
	}
	return nil
}

// syntax reports what is no YAML.
func (r *policyReader) syntax(err error, text []byte) {
	var s *yaml.SyntaxError
	if !errors.As(err, &s) || s.Token == nil {
		r.bad(nil, "", "it cannot be read as YAML: %v", err)
		return
	}
	hint, at := "", s.Token.Position
	if lines := strings.Split(string(text), "\n"); at.Line > 0 && at.Line <= len(lines) && strings.Contains(lines[at.Line-1], "*") {
		hint = ` (a pattern that begins with "*" must stand in quotes)`
	}
	r.bad(at, "", "it cannot be read as YAML: %s%s", s.Message, hint)
}

// resolve makes the paths of a file relative to its folder.
func (p *Policy) resolve(folder string) {
	for _, path := range []*string{&p.StopFile, &p.StateDir, &p.ReportFile, &p.KillSwitch.TokenFile} {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(folder, *path)
		}
	}
}
