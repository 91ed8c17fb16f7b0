package collyrobots

import (
	"strings"
	"unsafe"
)

// radix is a radix tree over texts, its keys: it finds those that a string begins with. Labels are stretches of the text that the
// keys are stretches of, so the tree holds no octet of its own but the first of each label.
type radix struct {
	nodes  []radixNode
	firsts string // of each node, the first octet of its label
}

type radixNode struct {
	label uint32 // where the label begins
	kids  uint32 // index of the first child; the others follow, in order
	key   uint32 // 1 + the index of the longest key that ends here or above; 0: none
	n     uint16 // octets of the label
	count uint16 // of children
}

// longestLabel is the most that radixNode.n holds. A longer label becomes a chain of nodes.
const longestLabel = 1<<16 - 1

// newRadix makes the tree over keys, which must be different stretches of text, in order. The second result is, for each
// key, 1 + the index of the longest other key that it begins with, or 0.
func newRadix(text string, keys []stretch) (radix, []uint32) {
	above := make([]uint32, len(keys))
	nodes := make([]radixNode, 1, len(keys)+len(keys)/2+1)
	firsts := make([]byte, 1, cap(nodes))
	// Each item is a node whose children are still to be made: keys[lo:hi] run through it, depth octets are behind it.
	type item struct{ node, lo, hi, depth uint32 }
	queue := make([]item, 1, cap(nodes))
	queue[0] = item{0, 0, uint32(len(keys)), 0}
	for len(queue) > 0 {
		it := queue[0]
		queue = queue[1:]
		if it.lo < it.hi && keys[it.lo].end-keys[it.lo].at == it.depth {
			above[it.lo] = nodes[it.node].key
			it.lo++
			nodes[it.node].key = it.lo
		}
		kids := len(nodes)
		for lo := it.lo; lo < it.hi; {
			first := text[keys[lo].at+it.depth]
			hi := lo + 1
			for hi < it.hi && text[keys[hi].at+it.depth] == first {
				hi++
			}
			n := commonPrefix(text[keys[lo].at+it.depth:keys[lo].end], text[keys[hi-1].at+it.depth:keys[hi-1].end])
			n = min(n, longestLabel)
			queue = append(queue, item{uint32(len(nodes)), lo, hi, it.depth + uint32(n)})
			nodes = append(nodes, radixNode{label: keys[lo].at + it.depth, n: uint16(n), key: nodes[it.node].key})
			firsts = append(firsts, first)
			lo = hi
		}
		nodes[it.node].kids, nodes[it.node].count = uint32(kids), uint16(len(nodes)-kids)
	}
	return radix{append([]radixNode(nil), nodes...), string(firsts)}, above
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// step returns the child of n that s goes on with; nil if there is none.
func (t *radix) step(text string, n *radixNode, s string) *radixNode {
	if s == "" || n.count == 0 {
		return nil
	}
	kid := &t.nodes[n.kids]
	if n.count > 1 {
		i := strings.IndexByte(t.firsts[n.kids:n.kids+uint32(n.count)], s[0])
		if i < 0 {
			return nil
		}
		kid = &t.nodes[n.kids+uint32(i)]
		if kid.n == 1 {
			return kid
		}
	}
	if !strings.HasPrefix(s, text[kid.label:kid.label+uint32(kid.n)]) {
		return nil
	}
	return kid
}

// longest returns 1 + the index of the longest key that s begins with; 0 if there is none.
func (t *radix) longest(text, s string) uint32 {
	n := &t.nodes[0]
	for {
		kid := t.step(text, n, s)
		if kid == nil {
			return n.key
		}
		n, s = kid, s[kid.n:]
	}
}

func (t *radix) bytes() int {
	return cap(t.nodes)*int(unsafe.Sizeof(radixNode{})) + len(t.firsts)
}
