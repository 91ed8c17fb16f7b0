package collyrobots

import (
	"cmp"
	"slices"
	"strings"
	"unsafe"

	"github.com/collyetiquette/etiquette/internal/pattern"
)

// smallSet is up to how many rules a set is a list, tried one after the other. Above, a tree is faster than that.
const smallSet = 32

// ruleSet is a set of rules, packed: one text and a few words for each rule. It keeps nothing of the file they come from.
type ruleSet struct {
	text  string       // "disallow: /a" "allow: /b" …, then the rules that are shown as they stand in the file
	rules []packedRule // and one more, which only says where the last one ends
	raw   []rawRule
	tree  *ruleTree // nil: rules is sorted by rank, the highest first
}

// packedRule is one rule. Numbers are offsets in the text of its set.
type packedRule struct {
	at      uint32 // of its pattern; "disallow: " or "allow: " stands before it
	literal uint32 // where the literal prefix of the pattern ends
	rank    rank
	line    uint32
}

// rawRule is a rule whose path is written in another way in the file.
type rawRule struct {
	rule    uint32
	at, end uint32
}

// longestRaw is up to how many octets a path is kept as it stands in the file, where that is not its normal form.
const longestRaw = 256

// rank orders rules: twice the priority of the pattern, and one more for an allow. The highest rank of all rules that match
// decides, so a longer rule wins, and of two of the same length the allow (RFC 9309, 2.2.2).
type rank uint32

const noRank rank = 0

func rankOf(p pattern.Pattern, allow bool) rank {
	r := rank(p.Priority()) * 2
	if allow {
		r++
	}
	return r
}

func (r rank) allows() bool { return r&1 != 0 }

// label is what stands before the path of a rule.
func (r rank) label() string {
	if r.allows() {
		return "allow: "
	}
	return "disallow: "
}

// newRuleSet packs rules, whose patterns are stretches of text and whose raws are numbered from 1.
func newRuleSet(text string, rules []fileRule, raws []string) ruleSet {
	rules = bestOfEach(text, rules)
	if len(rules) <= smallSet {
		slices.SortStableFunc(rules, func(a, b fileRule) int { return cmp.Compare(b.rank, a.rank) })
	}
	s := pack(text, rules, raws)
	if len(rules) > smallSet {
		s.tree = newRuleTree(&s)
	}
	return s
}

// bestOfEach returns rules in the order of their literal prefixes, and under each in that of their tails. Of rules with the
// same pattern it keeps one: that with the highest rank, for no other can ever decide, and of those the first of the file.
func bestOfEach(text string, rules []fileRule) []fileRule {
	patterns := make([]stretch, len(rules))
	for i, r := range rules {
		patterns[i] = r.pattern
	}
	kept := make([]fileRule, 0, len(rules))
	for _, i := range orderOf(text, patterns) {
		r := rules[i]
		if n := len(kept); n > 0 && kept[n-1].pattern.of(text) == r.pattern.of(text) {
			if best := &kept[n-1]; r.rank > best.rank || r.rank == best.rank && r.line < best.line {
				*best = r
			}
			continue
		}
		kept = append(kept, r)
	}
	return kept
}

func pack(text string, rules []fileRule, raws []string) ruleSet {
	size, shownRaw := 0, 0
	for _, r := range rules {
		size += len(r.rank.label()) + int(r.pattern.end-r.pattern.at) - 1 // the NUL
		if r.raw != 0 {
			size += len(r.rank.label()) + len(raws[r.raw-1])
			shownRaw++
		}
	}
	var packed strings.Builder
	packed.Grow(size)
	s := ruleSet{rules: make([]packedRule, 0, len(rules)+1)}
	for _, r := range rules {
		packed.WriteString(r.rank.label())
		at := uint32(packed.Len())
		packed.WriteString(text[r.pattern.at:r.literal])
		literal := uint32(packed.Len())
		packed.WriteString(text[r.literal+1 : r.pattern.end])
		s.rules = append(s.rules, packedRule{at, literal, r.rank, r.line})
	}
	s.rules = append(s.rules, packedRule{at: uint32(packed.Len() + len(noRank.label()))})
	if shownRaw > 0 {
		s.raw = make([]rawRule, 0, shownRaw)
		for i, r := range rules {
			if r.raw != 0 {
				at := uint32(packed.Len())
				packed.WriteString(r.rank.label())
				packed.WriteString(raws[r.raw-1])
				s.raw = append(s.raw, rawRule{uint32(i), at, uint32(packed.Len())})
			}
		}
	}
	s.text = packed.String()
	return s
}

// len is the number of rules.
func (s *ruleSet) len() int { return max(len(s.rules)-1, 0) }

// end is where the pattern of rule i ends.
func (s *ruleSet) end(i int) uint32 {
	behind := &s.rules[i+1]
	return behind.at - uint32(len(behind.rank.label()))
}

// tail is the pattern of rule i behind its literal prefix.
func (s *ruleSet) tail(i int) string { return s.text[s.rules[i].literal:s.end(i)] }

func (s *ruleSet) line(i int) int { return int(s.rules[i].line) }

// shown is rule i for people.
func (s *ruleSet) shown(i int) string {
	if at, ok := slices.BinarySearchFunc(s.raw, uint32(i), func(r rawRule, rule uint32) int { return cmp.Compare(r.rule, rule) }); ok {
		return s.text[s.raw[at].at:s.raw[at].end]
	}
	r := &s.rules[i]
	return s.text[r.at-uint32(len(r.rank.label())) : s.end(i)]
}

// best is the rule with the highest rank of those that match path.
func (s *ruleSet) best(path string) verdict {
	if s.tree != nil {
		return s.tree.best(s, path)
	}
	for i := range s.len() {
		r := &s.rules[i]
		n := int(r.literal - r.at)
		if n > len(path) || n > 0 && path[n-1] != s.text[r.literal-1] { // neighbours mostly differ at the end
			continue
		}
		if path[:n] == s.text[r.at:r.literal] && pattern.MatchTail(s.tail(i), path[n:]) {
			return verdict{s, i, r.rank}
		}
	}
	return verdict{}
}

func (s *ruleSet) bytes() int {
	n := int(unsafe.Sizeof(*s)) + len(s.text)
	n += cap(s.rules) * int(unsafe.Sizeof(packedRule{}))
	n += cap(s.raw) * int(unsafe.Sizeof(rawRule{}))
	if s.tree != nil {
		n += s.tree.bytes()
	}
	return n
}
