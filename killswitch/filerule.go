package killswitch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
)

// readRule reads one rule of a stop file. What is wrong with it makes the file invalid; the rule stops all the same if its scope can be read, and
// the wider for each part that narrows it and cannot.
func (f *stopFile) readRule(where string, raw json.RawMessage, ids map[string]bool) {
	ms, err := members(raw)
	if err != nil {
		f.problem("%s: %v", where, err)
		f.lost = true
		if len(raw) == 0 || raw[0] != '{' {
			return
		}
		ms = looseMembers(raw)
	}
	d := draft{f: f, where: where, seen: make(map[string]bool, len(ms))}
	for _, m := range ms {
		d.read(m)
	}
	if len(d.scopes) == 0 {
		f.problem("%s: no readable host, domain or all", d.where)
		f.lost = true
		return
	}
	if len(d.scopes) > 1 {
		f.problem("%s: has more than one of host, domain and all", d.where)
	}
	if strings.TrimSpace(d.rule.Reason) == "" {
		f.problem("%s: has no reason", d.where)
	}
	if d.rule.ID == "" {
		f.problem("%s: has no id", d.where)
	} else if ids[d.rule.ID] {
		f.problem("%s: its id is used twice", d.where)
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
		ids[r.ID] = true
		f.rules = append(f.rules, r)
	}
}

// draft is a rule of a stop file that is being read.
type draft struct {
	f      *stopFile
	where  string
	seen   map[string]bool
	scopes []Rule // Host, Domain or All set
	rule   Rule   // the rest
}

func (d *draft) problem(format string, args ...any) { d.f.problem(d.where+": "+format, args...) }

func (d *draft) read(m member) {
	key := strings.ToLower(m.key)
	if d.seen[key] {
		d.problem("%s stands there twice", short(key))
		if d.widen(key) {
			return
		}
	}
	d.seen[key] = true
	switch key {
	case "id":
		if id := d.text(m); validID(id) {
			d.rule.ID = id
			d.where += " (" + id + ")"
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
	default:
		d.problem("unknown field %q", short(m.key))
		return
	}
	if key != m.key {
		d.problem("%q must be written %q", m.key, key)
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
	var s *string
	if err := json.Unmarshal(m.value, &s); err != nil || s == nil {
		d.problem("%s is no text", m.key)
		return ""
	}
	return *s
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
