package throttle

// The line of a gate and the list of what is under way are made of the turns themselves. The shard's mutex guards them.

// join puts a turn at the end of the line, a robots.txt request before all pages: whoever waits for the rules stands among them.
func (g *gate) join(tn *Turn) {
	after := g.tail
	if tn.robots {
		for after != nil && !after.robots {
			after = after.prev
		}
	} else {
		g.joined++
	}
	g.insert(tn, after)
}

// rejoin puts a turn at the head of the line.
func (g *gate) rejoin(tn *Turn) { g.insert(tn, nil) }

func (g *gate) insert(tn, after *Turn) {
	tn.prev = after
	if after == nil {
		tn.next, g.head = g.head, tn
	} else {
		tn.next, after.next = after.next, tn
	}
	if tn.next == nil {
		g.tail = tn
	} else {
		tn.next.prev = tn
	}
	tn.state = waiting
	g.waiting++
	g.throttle().waiting.Add(1)
}

// leave takes a turn out of the line.
func (g *gate) leave(tn *Turn) {
	if tn.prev == nil {
		g.head = tn.next
	} else {
		tn.prev.next = tn.next
	}
	if tn.next == nil {
		g.tail = tn.prev
	} else {
		tn.next.prev = tn.prev
	}
	tn.prev, tn.next, tn.state = nil, nil, over
	g.waiting--
	g.throttle().waiting.Add(-1)
}

// fly adds a turn to what is under way.
func (g *gate) fly(tn *Turn) {
	if tn.next = g.flying; tn.next != nil {
		tn.next.prev = tn
	}
	g.flying = tn
	g.flights++
	g.throttle().flights.Add(1)
}

// unfly takes a turn out of what is under way.
func (g *gate) unfly(tn *Turn) {
	if tn.prev == nil {
		g.flying = tn.next
	} else {
		tn.prev.next = tn.next
	}
	if tn.next != nil {
		tn.next.prev = tn.prev
	}
	tn.prev, tn.next, tn.state = nil, nil, over
	g.sent(tn)
	g.flights--
	g.throttle().flights.Add(-1)
}
