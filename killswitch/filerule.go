package killswitch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// place says where a rule stands in a file, for messages.
type place struct {
	rule int    // its number; 0: it was salvaged
	id   string // if it is known
}

func (p place) String() string {
	name := "a rule that could be saved"
	if p.rule > 0 {
		name = "rule " + strconv.Itoa(p.rule)
	}
	if p.id != "" {
		name += " (" + p.id + ")"
	}
	return name
}

// draft is a rule of a stop file that is being read. One is used for all rules of a file.
type draft struct {
	f     *stopFile
	ids   map[string]bool // that were used
	where place

	seen   []string // of ruleFields
	scopes []Rule   // Host, Domain or All set
	rule   Rule     // the rest
}

func newDraft(f *stopFile) *draft { return &draft{f: f, ids: make(map[string]bool)} }

// readRule reads one rule. What is wrong with it makes the file invalid; the rule stops all the same if its scope can be read, and the wider for each part
// that narrows it and cannot.
func (d *draft) readRule(where place, ms []member) {
	d.where, d.seen, d.scopes, d.rule = where, d.seen[:0], d.scopes[:0], Rule{}
	for _, m := range ms {
		d.read(m)
	}
	if len(d.scopes) == 0 {
		d.problem("no readable host, domain or all")
		d.f.lost = true
		return
	}
	if len(d.scopes) > 1 {
		d.problem("has more than one of host, domain and all")
	}
	if strings.TrimSpace(d.rule.Reason) == "" {
		d.problem("has no reason")
	}
	if d.rule.ID == "" {
		d.problem("has no id")
	} else if d.ids[d.rule.ID] {
		d.problem("its id is used twice")
	}
	if d.rule.Action == "" {
		d.rule.Action = Stop
	}
	for _, scope := range d.scopes {
		r := d.rule
		r.Host, r.Domain, r.All = scope.Host, scope.Domain, scope.All
		if r.ID == "" {
			r.ID = madeUpID(r)
		}
		d.ids[r.ID] = true
		d.f.rules = append(d.f.rules, r)
	}
}

func (d *draft) problem(format string, args ...any) {
	d.f.problem("%s: %s", d.where, fmt.Sprintf(format, args...))
}

// ruleFields are what a rule of a stop file may have.
var ruleFields = []string{"id", "host", "domain", "all", "scheme", "port", "path", "action", "until", "reason", "ticket", "created"}

func (d *draft) read(m member) {
	key := strings.ToLower(m.key)
	if !slices.Contains(ruleFields, key) {
		d.problem("unknown field %q", short(m.key))
		return
	}
	if key != m.key {
		d.problem("%q must be written %q", m.key, key)
	}
	if slices.Contains(d.seen, key) {
		d.problem("%s stands there twice", key)
		if d.widen(key) {
			return
		}
	}
	d.seen = append(d.seen, key)
	switch key {
	case "id":
		if id := d.text(m); validID(id) {
			d.rule.ID = id
			d.where.id = id
		} else {
			d.problem("id %.80q: 1 to 64 of A-Z a-z 0-9 . _ - are allowed", id)
		}
	case "host", "domain":
		d.names(key, m.value)
	case "all":
		d.all(m.value)
	case "scheme":
		narrow(d, &d.rule.Scheme, d.text(m), canonicalScheme)
	case "path":
		narrow(d, &d.rule.Path, d.text(m), canonicalPath)
	case "action":
		narrow(d, &d.rule.Action, Action(d.text(m)), canonicalAction)
	case "port":
		if json.Unmarshal(m.value, &d.rule.Port) != nil || checkPort(d.rule.Port) != nil {
			d.problem("port %.40s is not between 1 and 65535", m.value)
			d.rule.Port = 0
		}
	case "until":
		until, err := time.Parse(time.RFC3339, d.text(m))
		if err == nil {
			until, err = canonicalUntil(until)
		}
		if err != nil {
			d.problem("until is no RFC 3339 time with a zone: %v", err)
		} else {
			d.rule.Until = until
		}
	case "created":
		if _, err := time.Parse(time.RFC3339, d.text(m)); err != nil {
			d.problem("created is no RFC 3339 time with a zone: %v", err)
		}
	case "reason":
		d.rule.Reason = d.note(m)
	case "ticket":
		d.rule.Ticket = d.note(m)
	}
}

// widen drops a part that narrows the rule, of which it is not known which of several is meant. It reports whether there is such a part.
func (d *draft) widen(key string) bool {
	switch key {
	case "scheme":
		d.rule.Scheme = ""
	case "path":
		d.rule.Path = ""
	case "port":
		d.rule.Port = 0
	case "until":
		d.rule.Until = time.Time{}
	case "action":
		d.rule.Action = Stop
	default:
		return false
	}
	return true
}

func narrow[T ~string](d *draft, field *T, value T, canonical func(T) (T, error)) {
	v, err := canonical(value)
	if err != nil {
		d.problem("%v", err)
		var none T
		v = none
	}
	*field = v
}

func (d *draft) text(m member) string {
	text, ok := textOf(m.value)
	if !ok {
		d.problem("%s is no text", m.key)
	}
	return text
}

// note reads a text for people.
func (d *draft) note(m member) string {
	text := d.text(m)
	if err := checkNote(m.key, text); err != nil {
		d.problem("%v", err)
		return strings.ToValidUTF8(text[:maxNote], "")
	}
	return text
}

// madeUpID names a rule that has no id. It is the same each time the file is read.
func madeUpID(r Rule) string {
	text, _ := json.Marshal(r)
	sum := sha256.Sum256(text)
	return "unnamed-" + hex.EncodeToString(sum[:6])
}
