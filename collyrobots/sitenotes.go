package collyrobots

import "unsafe"

// Bounds on what is kept of records that are no rules, for each scope. A file has a few of them; one that has thousands is not
// one whose thousandth says anything new.
const (
	keptRecords     = 256
	keptOctets      = 16 << 10 // of all their values
	keptRecordValue = 4 << 10  // of one
)

// siteNotes is what a file says besides its rules, packed into one text.
type siteNotes struct {
	text    string
	maps    []noteSpan
	records []knownRecord
	dropped int // records left out because of the bounds
}

type noteSpan struct{ at, end uint32 }

// knownRecord is a record that is kept as it stands, for others to read: content signals, rates, licences.
type knownRecord struct {
	value noteSpan
	line  uint32
	kind  recordKind
	scope recordScope
}

// recordScope says in whose group a record stands.
type recordScope uint8

const (
	scopeSite  recordScope = iota // above the first agent line: nobody's, so of the whole site
	scopeOurs                     // in the group we are judged by
	scopeAlso                     // in a group that is obeyed besides
	scopeOther                    // in the group of others; kept only if its kind speaks of the whole site
)

func (f *fileReader) siteNotes(judged []int) siteNotes {
	var n siteNotes
	var text []byte
	add := func(value string) noteSpan {
		at := len(text)
		text = append(text, value...)
		return noteSpan{uint32(at), uint32(len(text))}
	}
	var kept [scopeOther + 1]struct{ records, octets int }
	for _, rec := range f.kept {
		scope := f.scopeOf(rec, judged)
		if scope == scopeOther && !rec.kind.ofWholeSite() {
			continue
		}
		k := &kept[scope]
		if k.records == keptRecords || len(rec.value) > keptRecordValue || k.octets+len(rec.value) > keptOctets {
			n.dropped++
			continue
		}
		k.records++
		k.octets += len(rec.value)
		n.records = append(n.records, knownRecord{add(rec.value), uint32(rec.line), rec.kind, scope})
	}
	if len(f.sitemaps) > 0 {
		n.maps = make([]noteSpan, 0, len(f.sitemaps))
	}
	for _, s := range f.sitemaps {
		n.maps = append(n.maps, add(s))
	}
	n.text = string(text)
	return n
}

func (f *fileReader) scopeOf(rec fileRecord, judged []int) recordScope {
	if !rec.inGroup {
		return scopeSite
	}
	for i, agent := range judged {
		switch {
		case agent == agentNone || !f.audiences[rec.audience].has(agent):
		case i == 0:
			return scopeOurs
		default:
			return scopeAlso
		}
	}
	return scopeOther
}

func (n *siteNotes) valueOf(r knownRecord) string { return n.text[r.value.at:r.value.end] }

func (n *siteNotes) sitemaps() []string {
	if len(n.maps) == 0 {
		return nil
	}
	out := make([]string, len(n.maps))
	for i, s := range n.maps {
		out[i] = n.text[s.at:s.end]
	}
	return out
}

func (n *siteNotes) bytes() int {
	return len(n.text) + cap(n.maps)*int(unsafe.Sizeof(noteSpan{})) + cap(n.records)*int(unsafe.Sizeof(knownRecord{}))
}
