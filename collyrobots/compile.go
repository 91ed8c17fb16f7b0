package collyrobots

import (
	"slices"
	"strings"
)

// parsingLimit is how many octets of a robots.txt are read: 500 KiB, the least that RFC 9309, 2.5 asks for.
const parsingLimit = 500 * 1024

// Compile reads a robots.txt for the crawler with the given product token, by RFC 9309: records it cannot read are passed
// over, so it never fails. Of a body over 500 KiB (512,000 bytes) the lines that lie within the first 500 KiB are read.
// A productToken that is no token is read as a User-Agent, see [ProductToken]; if it names nobody, the rules for "*" are ours.
//
// alsoObey names further tokens whose groups are obeyed besides our own: those of crawlers with our purpose, as a site that
// shuts out "GPTBot" and "CCBot" shuts out more than these two. A URL is then allowed only if the rules for our own token
// allow it and each group that names one of the others does; the crawl delay is the longest of theirs. A token that no group
// names adds nothing: the "*" group does not stand for it.
//
// The result keeps no part of body, and is safe for concurrent use. Compile is pure.
func Compile(body []byte, productToken string, alsoObey ...string) *Rules {
	return compileWithin(parsingLimit, body, productToken, alsoObey)
}

// compileWithin is Compile with a limit in octets. Who stops reading a body at the limit must read one octet more and hand it
// over, for it tells whether the last line is whole.
func compileWithin(limit int, body []byte, productToken string, alsoObey []string) *Rules {
	tokens := ownTokens(productToken, alsoObey)
	f := readFile(string(wholeLines(body, limit)), tokens)
	judged := f.judgedAgents()
	r := &Rules{group: groupNone}
	if judged[0] != agentNone {
		r.group, r.groupLine = groupNamed, f.agents[judged[0]].firstLine
		if judged[0] == agentStar {
			r.group = groupStar
		}
	}
	r.sets, r.judges = f.ruleSets(judged)
	r.delay = f.longestDelay(judged)
	r.notes = f.siteNotes(judged)
	return r
}

// ownTokens are the tokens that a file is read for: ours, which may be empty, and those obeyed besides, each once.
func ownTokens(productToken string, alsoObey []string) []string {
	tokens := []string{ownToken(productToken)}
	for _, name := range alsoObey {
		if t := ownToken(name); t != "" && !slices.Contains(tokens, t) {
			tokens = append(tokens, t)
		}
	}
	return tokens
}

const agentNone = -1

// judgedAgents returns the agents whose rules decide. The first is ours: our own token, if a group names it, else "*", else
// agentNone (RFC 9309, 2.2.1). Behind it stand those obeyed besides that a group names.
func (f *fileReader) judgedAgents() []int {
	judged := []int{agentNone}
	for _, ours := range []int{agentOwn, agentStar} {
		if f.agents[ours].firstLine > 0 {
			judged[0] = ours
			break
		}
	}
	for agent := agentAlso; agent < len(f.agents); agent++ {
		if f.agents[agent].firstLine > 0 {
			judged = append(judged, agent)
		}
	}
	return judged
}

// ruleSets compiles the rules. Rules for the same of the judged agents make one set, so that each rule is kept once, however
// many of the agents it is for. The second result has, for each judged agent, the sets that make up its rules; it is nil
// if there is only one agent and one set.
func (f *fileReader) ruleSets(judged []int) ([]*ruleSet, [][]uint32) {
	all := newAgentSet(len(f.agents))
	for _, agent := range judged {
		if agent != agentNone {
			all.add(agent)
		}
	}
	// To which set the rules for each audience belong: none if none of the judged agents is among it.
	const nobody = -1
	setOf := make([]int, len(f.audiences))
	var byKey map[string]int
	var members []agentSet
	for i, who := range f.audiences {
		setOf[i] = nobody
		if who = who.intersect(all); who.empty() {
			continue
		}
		set, ok := byKey[who.key()]
		if !ok {
			set = len(members)
			if members = append(members, who); len(f.audiences) > 1 {
				if byKey == nil {
					byKey = make(map[string]int)
				}
				byKey[who.key()] = set
			}
		}
		setOf[i] = set
	}
	rules := make([][]fileRule, len(members))
	if len(members) == 1 {
		rules[0] = slices.DeleteFunc(f.rules, func(r fileRule) bool { return setOf[r.audience] == nobody })
	} else {
		for _, r := range f.rules {
			if set := setOf[r.audience]; set != nobody {
				rules[set] = append(rules[set], r)
			}
		}
	}
	patterns := string(f.patterns)
	sets := make([]*ruleSet, len(members))
	for i := range sets {
		sets[i] = newRuleSet(patterns, rules[i], f.raws)
	}
	if len(judged) == 1 && len(sets) <= 1 {
		return sets, nil
	}
	return sets, judgesOf(judged, members)
}

// judgesOf returns, for each judged agent, the sets it is a member of. Agents after the first that have the same sets as one
// before are left out: they would decide the same.
func judgesOf(judged []int, members []agentSet) [][]uint32 {
	judges := make([][]uint32, 0, len(judged))
	seen := make(map[string]bool)
	for i, agent := range judged {
		var sets []uint32
		var key strings.Builder
		for set, who := range members {
			if agent != agentNone && who.has(agent) {
				sets = append(sets, uint32(set))
				key.WriteString(who.key())
			}
		}
		if i == 0 || !seen[key.String()] {
			judges = append(judges, sets)
		}
		seen[key.String()] = true
	}
	return judges
}

func (f *fileReader) longestDelay(judged []int) (longest agentDelay) {
	for _, agent := range judged {
		if agent != agentNone && f.agents[agent].delay.given {
			longest.Duration = max(longest.Duration, f.agents[agent].delay.Duration)
			longest.given = true
		}
	}
	return longest
}
