package collyrobots

import (
	"cmp"
	"slices"
	"strings"
	"unsafe"

	"github.com/collyetiquette/etiquette/internal/pattern"
)

// ruleSet is a set of rules, packed: one text, and three words for each rule. It keeps nothing of the file they come from.
//
// A rule is plain if it matches whatever begins with its literal prefix, or nothing but that. Plain rules stand first, in the
// order of their prefixes, so that one search finds those that match. The others stand behind them, the highest rank first.
type ruleSet struct {
	text  string       // the patterns, one behind the other
	rules []packedRule // and one more, which says where the last one ends
	plain plainRules
	index *gramIndex // of the other rules, unless they are very few
	runs  []starRun
	raw   []rawRule
	told  toldRules

	rawText string // the paths of raw
}

// packedRule is where a pattern begins in the text of its set, and what else there is to know of a rule.
type packedRule struct {
	at   uint32
	mark uint32 // its line, and two bits below
}

const (
	markAllow = 1 << iota
	markTail  // there is more than a literal prefix
	markBits  = iota
)

// starRun is a rule with runs of "*" that were folded into one: they count for its priority.
type starRun struct{ rule, folded uint32 }

// rawRule is a rule whose path is written in another way in the file.
type rawRule struct {
	rule uint32
	path stretch
}

// longestRaw is up to how many octets a path is kept as it stands in the file, where that is not its normal form.
const longestRaw = 256

// rank orders rules: twice the priority of the pattern, and one more for an allow. The highest rank of all rules that match
// decides, so a longer rule wins, and of two of the same length the allow (RFC 9309, 2.2.2).
type rank uint32

const noRank rank = 0

func rankOf(priority int, allow bool) rank {
	r := rank(priority) * 2
	if allow {
		r++
	}
	return r
}

func (r rank) allows() bool { return r&1 != 0 }

// newRuleSet packs rules, whose patterns are stretches of text and whose raws are numbered from 1.
func newRuleSet(text string, rules []fileRule, raws []string) *ruleSet {
	rules = bestOfEach(text, rules)
	plain := rules[:0]
	var others []fileRule
	for _, r := range rules {
		switch tail := text[r.literal+1 : r.pattern.end]; tail {
		case "", "$", "*", "*$":
			plain = append(plain, r)
		default:
			others = append(others, r)
		}
	}
	s := new(ruleSet)
	s.pack(text, append(plain, byRank(others)...), raws)
	s.plain = newPlainRules(s, len(plain))
	if len(others) >= manyOthers {
		s.index = newGramIndex(s, uint32(len(plain)))
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

// byRank returns rules with the highest rank first, those of the same rank in the order they have.
func byRank(rules []fileRule) []fileRule {
	if len(rules) < 2 {
		return rules
	}
	order := make([]uint64, len(rules))
	for i, r := range rules {
		order[i] = uint64(^r.rank)<<32 | uint64(i)
	}
	slices.Sort(order)
	sorted := make([]fileRule, len(rules))
	for at, o := range order {
		sorted[at] = rules[uint32(o)]
	}
	return sorted
}

func (s *ruleSet) pack(text string, rules []fileRule, raws []string) {
	size, rawRules, rawOctets := 0, 0, 0
	for _, r := range rules {
		size += int(r.pattern.end-r.pattern.at) - 1 // without the NUL
		if r.raw != 0 {
			rawRules++
			rawOctets += len(raws[r.raw-1])
		}
	}
	var packed, rawText strings.Builder
	packed.Grow(size)
	rawText.Grow(rawOctets)
	s.rules = make([]packedRule, 0, len(rules)+1)
	if rawRules > 0 {
		s.raw = make([]rawRule, 0, rawRules)
	}
	for i, r := range rules {
		at := packed.Len()
		packed.WriteString(text[r.pattern.at:r.literal])
		tail := text[r.literal+1 : r.pattern.end]
		packed.WriteString(tail)
		mark := r.line << markBits
		if r.rank.allows() {
			mark |= markAllow
		}
		if tail != "" {
			mark |= markTail
		}
		s.rules = append(s.rules, packedRule{uint32(at), mark})
		if folded := uint32(r.rank/2) - uint32(packed.Len()-at); folded > 0 {
			s.runs = append(s.runs, starRun{uint32(i), folded})
		}
		if r.raw != 0 {
			from := uint32(rawText.Len())
			rawText.WriteString(raws[r.raw-1])
			s.raw = append(s.raw, rawRule{uint32(i), stretch{from, uint32(rawText.Len())}})
		}
	}
	s.rules = append(s.rules, packedRule{at: uint32(packed.Len())})
	s.text, s.rawText = packed.String(), rawText.String()
}

// len is the number of rules.
func (s *ruleSet) len() int { return max(len(s.rules)-1, 0) }

// plains is the number of plain rules.
func (s *ruleSet) plains() int { return s.plain.count }

func (s *ruleSet) pattern(i uint32) string {
	r := s.rules[i : i+2]
	return s.text[r[0].at:r[1].at]
}

func (s *ruleSet) line(i uint32) int { return int(s.rules[i].mark >> markBits) }

func (s *ruleSet) allows(i uint32) bool { return s.rules[i].mark&markAllow != 0 }

func (s *ruleSet) rank(i uint32) rank {
	priority := int(s.rules[i+1].at - s.rules[i].at)
	if len(s.runs) > 0 {
		if at, ok := slices.BinarySearchFunc(s.runs, i, func(r starRun, rule uint32) int { return cmp.Compare(r.rule, rule) }); ok {
			priority += int(s.runs[at].folded)
		}
	}
	return rankOf(priority, s.allows(i))
}

// best is the rule with the highest rank of those that match path.
func (s *ruleSet) best(path string) verdict {
	v := s.plain.best(s, path)
	if s.index != nil {
		return s.index.best(s, path, v)
	}
	for i := s.plains(); i < s.len(); i++ {
		r := s.rank(uint32(i))
		if r <= v.rank {
			break
		}
		if pattern.MatchText(s.pattern(uint32(i)), path) {
			return verdict{s, uint32(i), r}
		}
	}
	return v
}

func (s *ruleSet) bytes() int {
	n := int(unsafe.Sizeof(*s)) + len(s.text) + len(s.rawText) + s.told.bytes()
	n += cap(s.rules)*int(unsafe.Sizeof(packedRule{})) + s.plain.bytes()
	n += cap(s.runs)*int(unsafe.Sizeof(starRun{})) + cap(s.raw)*int(unsafe.Sizeof(rawRule{}))
	if s.index != nil {
		n += s.index.bytes()
	}
	return n
}
