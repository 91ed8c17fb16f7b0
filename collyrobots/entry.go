package collyrobots

import "time"

// Entry is what is known of the robots.txt of one origin, as a [Store] keeps it. It must not be changed once it was given to a Store.
type Entry struct {
	Origin string // such as "https://shop.example"
	// Copy is the last robots.txt that could be read. Nil: none, or the site has said since that it has none.
	Copy *Copy `json:",omitempty"`
	// Failure is what came since. Nil: the last fetch gave Copy.
	Failure *Failure `json:",omitempty"`
}

// Copy is a robots.txt that could be read.
type Copy struct {
	FetchedAt time.Time // when it came, or was last said to be unchanged
	ExpiresAt time.Time // it is not used from then on
	Status    int
	Body      []byte // whole lines, decompressed, at most Options.MaxBody
	HTML      bool   // it looks like a page and not like a robots.txt

	// URL is where it was found, which after a redirect is another place. ETag and LastModified are that place's validators.
	URL          string
	ETag         string `json:",omitempty"`
	LastModified string `json:",omitempty"`
}

// Failure is a run of answers that were no robots.txt.
type Failure struct {
	Class   Class     // ClassUnavailable or ClassUnreachable
	Since   time.Time // when the run began
	At      time.Time // the last of them
	RetryAt time.Time // robots.txt is not asked for before
	Count   int       // how many, one after the other
	Status  int       // of the last; 0: none came
	Cause   string    // why, in a few words
}

// state is an Entry in memory: the copy packed, with its rules compiled. It never changes; another takes its place.
type state struct {
	copy    *heldCopy
	failure *Failure
	// early says that the copy may be fetched anew before its life ends. One that came from a store is not: it may have been read by a process
	// that ends in a moment, and each of the next ones would begin a refresh too.
	early bool
}

// standing is what a state means at one moment.
type standing uint8

const (
	unknown          standing = iota // robots.txt must be fetched first
	rulesHold                        // those of the copy
	allAllowed                       // unavailable
	allDisallowed                    // unreachable
	forbiddenToCrawl                 // 401, 403 and Options.ForbiddenDisallows
)

// skew is by how much the clocks of machines that share a store may differ.
const skew = time.Minute

// at is what s means at now. A moment in the future means that the clock was set back: then nothing is known.
func (s *state) at(now time.Time, o *Options) standing {
	if s == nil {
		return unknown
	}
	if c := s.copy; c != nil && now.Before(c.ExpiresAt) && !c.FetchedAt.After(now.Add(skew)) {
		return rulesHold
	}
	f := s.failure
	if f == nil || !now.Before(f.RetryAt) || f.At.After(now.Add(skew)) {
		return unknown
	}
	switch {
	case f.Class == ClassUnavailable:
		if o.ForbiddenDisallows && (f.Status == 401 || f.Status == 403) {
			return forbiddenToCrawl
		}
		return allAllowed
	case s.copy != nil && now.Before(s.copy.ExpiresAt.Add(o.StaleIfUnreachable)):
		return rulesHold
	case now.Sub(f.Since) < thirtyDays:
		return allDisallowed
	case o.AfterThirtyDays == Unavailable:
		return allAllowed
	case o.AfterThirtyDays == LastCopy && s.copy != nil:
		return rulesHold
	}
	return allDisallowed
}

// atItsBest is what s means to one who has waited for it: as at, and if its time is over already, what it meant when it came.
func (s *state) atItsBest(now time.Time, o *Options) standing {
	if sd := s.at(now, o); sd != unknown {
		return sd
	}
	return s.at(s.newest(), o)
}

// wantsRefresh reports whether the copy in force has used up 80 % of its life and may be fetched anew while it still counts.
func (s *state) wantsRefresh(now time.Time) bool {
	c := s.copy
	if c == nil || !s.early || now.Before(c.refreshAt) || !now.Before(c.ExpiresAt) {
		return false
	}
	return s.failure == nil || !now.Before(s.failure.RetryAt)
}

// fails is the state after one more answer that was no robots.txt. An unreachable one leaves the copy: it counts until its life ends, and
// its validators are of use after it. An unavailable one does not: the site has said that it has none.
func (s *state) fails(class Class, status int, cause string, wait time.Duration, now time.Time) *state {
	f := &Failure{Class: class, Since: now, At: now, Count: 1, Status: status, Cause: cause}
	next := &state{failure: f}
	if s != nil {
		if old := s.failure; old != nil && old.Class == class {
			f.Since, f.Count = old.Since, old.Count+1
		}
		if class == ClassUnreachable {
			next.copy, next.early = s.copy, s.early
		}
	}
	switch {
	case class == ClassUnavailable:
		wait = doubling(firstUnavailable, lastUnavailable, f.Count)
	case wait == 0:
		wait = doubling(firstUnreachable, lastUnreachable, f.Count)
	}
	f.RetryAt = now.Add(wait)
	return next
}

// entry is s for a store.
func (s *state) entry(origin string) Entry {
	e := Entry{Origin: origin, Failure: s.failure}
	if s.copy != nil {
		c := s.copy.Copy
		c.Body = s.copy.body()
		e.Copy = &c
	}
	return e
}

// stateOf reads an entry from a store. No life in it is longer than the options and the RFC allow, whatever it says.
func stateOf(e Entry, o *Options) *state {
	s := &state{}
	if e.Copy != nil {
		c := *e.Copy
		if most := c.FetchedAt.Add(o.MaxAge); c.ExpiresAt.After(most) {
			c.ExpiresAt = most
		}
		s.copy = holdCopy(c)
	}
	if e.Failure != nil && (e.Failure.Class == ClassUnavailable || e.Failure.Class == ClassUnreachable) {
		f := *e.Failure
		if most := f.At.Add(longestRetry); f.RetryAt.After(most) {
			f.RetryAt = most
		}
		if f.Class == ClassUnavailable {
			s.copy = nil
		}
		s.failure = &f
	}
	return s
}

// newest is when the last word came from the site.
func (s *state) newest() (t time.Time) {
	if s == nil {
		return t
	}
	if s.copy != nil {
		t = s.copy.FetchedAt
	}
	if s.failure != nil && s.failure.At.After(t) {
		t = s.failure.At
	}
	return t
}

// bytes is about how much memory s takes.
func (s *state) bytes() int64 {
	n := int64(128)
	if s.copy != nil {
		n += s.copy.bytes()
	}
	if s.failure != nil {
		n += int64(160 + len(s.failure.Cause))
	}
	return n
}
