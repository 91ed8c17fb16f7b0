package killswitch

import "sync"

// calls runs functions of the program, one after the other, in a goroutine that ends when there is nothing left to run. So one that takes its time, or
// calls the Switch, or never returns, keeps no stop from being read.
type calls struct {
	mu      sync.Mutex // guards what follows
	waiting []func()
	changes bool // one of waiting is OnChange: it need not wait there twice
	running bool
	closed  bool
}

// maxCalls bounds what waits for a function that does not return.
const maxCalls = 1000

// alarm has OnAlarm called.
func (c *calls) alarm(f func(error), err error) {
	if f != nil {
		c.add(func() { f(err) })
	}
}

// change has OnChange called once more after everything up to now.
func (c *calls) change(f func()) {
	if f == nil {
		return
	}
	c.mu.Lock()
	waits := c.changes
	c.changes = true
	c.mu.Unlock()
	if waits {
		return
	}
	c.add(func() {
		c.mu.Lock()
		c.changes = false // a change from here on needs a call of its own
		c.mu.Unlock()
		f()
	})
}

func (c *calls) add(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || len(c.waiting) == maxCalls {
		return
	}
	c.waiting = append(c.waiting, f)
	if !c.running {
		c.running = true
		go c.run()
	}
}

func (c *calls) run() {
	for {
		c.mu.Lock()
		if len(c.waiting) == 0 {
			c.running = false
			c.mu.Unlock()
			return
		}
		f := c.waiting[0]
		c.waiting = c.waiting[1:]
		c.mu.Unlock()
		f()
	}
}

// close drops what waits. What runs may be what called it, so it is not waited for.
func (c *calls) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed, c.waiting = true, nil
}
