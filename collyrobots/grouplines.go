package collyrobots

import (
	"iter"
	"slices"
)

// GroupLines is where a group stands in a robots.txt: the lines from its first agent line to its last record, counted from 1.
type GroupLines struct{ First, Last int }

// Lines are the lines of a robots.txt, each with its number as [Match.Line] counts it and without its end. It is pure.
func Lines(body []byte) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		lines := newBodyLines(string(body))
		for line, ok := lines.next(); ok && yield(lines.number, line); line, ok = lines.next() {
		}
	}
}

// groupMarks is where the groups of a file stand. Only who explains a file to people asks for it.
type groupMarks []groupMark

type groupMark struct {
	lines  GroupLines
	agents agentSet // those that we are looked up by
}

// note takes a record of f that is about to be read: an agent line behind a rule begins a group, as in readAgent.
func (m *groupMarks) note(f *fileReader, kind recordKind, value string) {
	line := f.lines.number
	if kind == agentRecord && (len(*m) == 0 || f.ruled) {
		*m = append(*m, groupMark{GroupLines{line, line}, newAgentSet(len(f.agents))})
	}
	if len(*m) == 0 {
		return // above all groups
	}
	last := &(*m)[len(*m)-1]
	if kind == sitemapRecord || kind == unknownRecord {
		return // it belongs to nobody
	}
	last.lines.Last = line
	if kind == agentRecord {
		if agent, ok := f.agentOf(value); ok {
			last.agents.add(agent)
		}
	}
}

// of are the groups of any of the agents.
func (m groupMarks) of(agents []int) []GroupLines {
	var out []GroupLines
	for _, g := range m {
		if slices.ContainsFunc(agents, func(agent int) bool { return agent != agentNone && g.agents.has(agent) }) {
			out = append(out, g.lines)
		}
	}
	return out
}
