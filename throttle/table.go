package throttle

// table is an open-addressing hash table of hosts. Go's map would hold each name a second time, and at an unlucky size be half empty: with a million
// hosts that is a third of all memory. Hosts leave it only when all of it is built anew.
type table struct {
	slots []*host // a power of two, never full
	count int
}

// roomAt is how many hosts a table of so many slots takes.
func roomAt(slots int) int { return slots / 4 * 3 }

// slot is where the host with this name is, or belongs.
func (t *table) slot(name string, hash uint64) int {
	mask := len(t.slots) - 1
	i := int(hash>>8) & mask // the low bits chose the shard
	for t.slots[i] != nil && t.slots[i].name != name {
		i = (i + 1) & mask
	}
	return i
}

// get is the host with this name, or nil.
func (t *table) get(name string, hash uint64) *host {
	if t.count == 0 {
		return nil
	}
	return t.slots[t.slot(name, hash)]
}

// put adds a host that is not in the table. The caller has made sure that there is room.
func (t *table) put(h *host, hash uint64) {
	t.slots[t.slot(h.name, hash)] = h
	t.count++
}

// rebuild keeps the hosts for which keep says so, in a table with room for as many again.
func (t *table) rebuild(least int, hash func(string) uint64, keep func(*host) bool) {
	old := t.slots
	stay := 0
	for i, h := range old {
		if h == nil {
			continue
		}
		if keep(h) {
			stay++
		} else {
			old[i] = nil
		}
	}
	slots := least
	for roomAt(slots) < 2*stay {
		slots *= 2
	}
	t.slots, t.count = make([]*host, slots), 0
	for _, h := range old {
		if h != nil {
			t.put(h, hash(h.name))
		}
	}
}

// all calls f for each host.
func (t *table) all(f func(*host)) {
	for _, h := range t.slots {
		if h != nil {
			f(h)
		}
	}
}
