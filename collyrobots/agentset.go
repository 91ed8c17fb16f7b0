package collyrobots

import "encoding/binary"

// agentSet is a set of agents, by number. Sets that are compared or merged must have been made for the same count.
type agentSet []uint64

func newAgentSet(count int) agentSet { return make(agentSet, (count+63)/64) }

func (s agentSet) add(agent int)      { s[agent/64] |= 1 << (agent % 64) }
func (s agentSet) has(agent int) bool { return s[agent/64]>>(agent%64)&1 != 0 }
func (s agentSet) clear()             { clear(s) }
func (s agentSet) clone() agentSet    { return append(agentSet(nil), s...) }

func (s agentSet) empty() bool {
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}

// intersect returns what is in both.
func (s agentSet) intersect(other agentSet) agentSet {
	both := s.clone()
	for i := range both {
		both[i] &= other[i]
	}
	return both
}

// key is equal for equal sets.
func (s agentSet) key() string {
	b := make([]byte, 0, 8*len(s))
	for _, w := range s {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return string(b)
}
