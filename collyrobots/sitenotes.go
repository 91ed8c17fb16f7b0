package collyrobots

import "unsafe"

// Bounds on what is kept of records that are no rules, for each scope; of those of others, an eighth. A file has a few of them; one that has
// thousands is not one whose thousandth says anything new.
const (
	keptRecords     = 2048
	keptOctets      = 128 << 10 // of all their values
	keptRecordValue = 4 << 10   // of one
)

// siteNotes is what a file says besides its rules, packed into one text.
type siteNotes struct {
	text    string
	maps    []noteSpan
	records []knownRecord
	dropped int            // records left out because of the bounds
	signals *robotsSignals // what the records say; nil: nothing
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
	var whom []agentSet // of each record
	for _, rec := range f.kept {
		scope := f.scopeOf(rec, judged)
		if scope == scopeOther && !rec.kind.ofWholeSite() {
			continue
		}
		k, share := &kept[scope], 1
		if scope == scopeOther {
			share = 8
		}
		if k.records == keptRecords/share || len(rec.value) > keptRecordValue || k.octets+len(rec.value) > keptOctets/share {
			n.dropped++
			continue
		}
		k.records++
		k.octets += len(rec.value)
		n.records = append(n.records, knownRecord{add(rec.value), uint32(rec.line), rec.kind, scope})
		whom = append(whom, f.judgedOf(rec, judged))
	}
	if len(f.sitemaps) > 0 {
		n.maps = make([]noteSpan, 0, len(f.sitemaps))
	}
	for _, s := range f.sitemaps {
		n.maps = append(n.maps, add(s))
	}
	n.text = string(text)
	if len(n.records) > 0 || n.dropped > 0 {
		n.signals = f.signals(&n, whom, judged[0])
	}
	return n
}

// signals compiles what the records of n say; whom has those of the judged agents that each of them addresses.
func (f *fileReader) signals(n *siteNotes, whom []agentSet, ours int) *robotsSignals {
	records := make([]signalRecord, len(n.records))
	for i, rec := range n.records {
		records[i] = signalRecord{
			kind: rec.kind, value: n.valueOf(rec), line: int(rec.line), who: whom[i], agent: f.nameOf(whom[i]), inNone: rec.scope == scopeSite,
		}
	}
	return newRobotsSignals(records, len(f.agents), ours, n.dropped)
}

// judgedOf is which of the judged agents a record addresses; above all groups, nobody in particular, who has a number behind them.
func (f *fileReader) judgedOf(rec fileRecord, judged []int) agentSet {
	who := newAgentSet(len(f.agents) + 1)
	if !rec.inGroup {
		who.add(len(f.agents))
		return who
	}
	for _, agent := range judged {
		if agent != agentNone && f.audiences[rec.audience].has(agent) {
			who.add(agent)
		}
	}
	return who
}

// nameOf is the first agent of who, for people.
func (f *fileReader) nameOf(who agentSet) string {
	for agent := agentOwn; agent < len(f.agents); agent++ {
		if who.has(agent) {
			return f.tokens[agent-agentOwn]
		}
	}
	return "*"
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
	return len(n.text) + cap(n.maps)*int(unsafe.Sizeof(noteSpan{})) + cap(n.records)*int(unsafe.Sizeof(knownRecord{})) + n.signals.bytes()
}
