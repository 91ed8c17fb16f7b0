package collyrobots

import (
	"math"
	"strings"
	"time"

	"github.com/collyetiquette/etiquette/internal/pattern"
	"github.com/collyetiquette/etiquette/internal/token"
	"github.com/jimsmart/grobotstxt"
)

// parserLine is how many octets of a line grobotstxt reads.
const parserLine = 16663

// The agents that a file is read for are numbered: "*", our own token, then those obeyed besides.
const (
	agentStar = iota
	agentOwn
	agentAlso
)

// fileReader is the grobotstxt.ParseHandler that reads a robots.txt for some product tokens. grobotstxt finds the records and
// numbers the lines; what a record says is read from the line itself, for the values that grobotstxt hands over are shortened,
// trimmed of Unicode white space, and have garbled escapes.
type fileReader struct {
	lines  bodyLines
	tokens []string       // ours, then those obeyed besides; folded
	number map[string]int // of each token as an agent, if there are several

	agentSeen bool     // a group has begun
	group     agentSet // the agents of the group that is being read: those that its rules are for
	ruled     bool     // the group has a rule, so that an agent line begins another
	audience  int      // index of group in audiences, -1 if it is not there yet
	above     agentSet // the agents that stand right above: those that a crawl delay is for
	delayed   bool     // they have a rule or a crawl delay, so that an agent line begins another list

	agents     []agentRead // by number
	rules      []fileRule
	patterns   []byte   // of all rules, in normal form, which has no NUL
	raws       []string // as they stand in the file, where that differs and is short
	audiences  []agentSet
	audienceOf map[string]int // by key, once there are several
	sitemaps   []string
	kept       []fileRecord
	marks      *groupMarks // nil: nobody asks where the groups stand
}

// agentRead is what was read of an agent.
type agentRead struct {
	firstLine int // its first agent line; 0 if it has none
	delay     agentDelay
}

type agentDelay struct {
	time.Duration
	given bool
}

// fileRule is a rule that can match. It is small and holds no pointer: there may be fifty thousand of them to sort.
type fileRule struct {
	pattern  stretch // of fileReader.patterns: the literal prefix, a NUL, the tail
	literal  uint32  // where the literal prefix ends
	rank     rank
	line     uint32
	audience uint32 // whom it is for
	raw      uint32 // 1 + the index in fileReader.raws of its path as it stands in the file; 0 if that is the pattern
}

// fileRecord is another known record.
type fileRecord struct {
	value    string
	line     int
	audience int // whose group it stands in
	kind     recordKind
	inGroup  bool // of anybody, not above the first agent line
}

// readFile reads body for the product tokens, which must be folded and different; the first may be empty.
func readFile(body string, tokens []string) *fileReader { return readMarking(body, tokens, nil) }

// readMarking is readFile, and says where the groups stand.
func readMarking(body string, tokens []string, marks *groupMarks) *fileReader {
	count := agentOwn + len(tokens)
	sets := make(agentSet, 2*len(newAgentSet(count)))
	f := &fileReader{
		lines:    newBodyLines(body),
		tokens:   tokens,
		marks:    marks,
		audience: -1,
		group:    sets[:len(sets)/2],
		above:    sets[len(sets)/2:],
		agents:   make([]agentRead, count),
		rules:    make([]fileRule, 0, 16),
		patterns: make([]byte, 0, min(len(body), 512)),
	}
	if len(tokens) > 1 {
		f.number = make(map[string]int, len(tokens))
		for i, t := range tokens {
			if t != "" {
				f.number[t] = agentOwn + i
			}
		}
	}
	grobotstxt.Parse(body, f)
	return f
}

func (f *fileReader) HandleRobotsStart()                        {}
func (f *fileReader) HandleUserAgent(line int, _ string)        { f.readTo(line) }
func (f *fileReader) HandleAllow(line int, _ string)            { f.readTo(line) }
func (f *fileReader) HandleDisallow(line int, _ string)         { f.readTo(line) }
func (f *fileReader) HandleSitemap(line int, _ string)          { f.readTo(line) }
func (f *fileReader) HandleUnknownAction(line int, _, _ string) { f.readTo(line) }
func (f *fileReader) HandleRobotsEnd()                          { f.readTo(math.MaxInt) }

// readTo reads the line with the given number. The lines before it hold no record, but for one that is too long for
// grobotstxt: its ":" may stand behind what grobotstxt has read.
func (f *fileReader) readTo(number int) {
	for f.lines.number < number {
		line, ok := f.lines.next()
		if !ok {
			return
		}
		if f.lines.number == number || len(line) > parserLine {
			f.read(line)
		}
	}
}

func (f *fileReader) read(line string) {
	name, value, ok := splitRecord(line)
	if !ok {
		return
	}
	kind := recordKindOf(name)
	if f.marks != nil {
		f.marks.note(f, kind, value)
	}
	switch kind {
	case unknownRecord:
	case agentRecord:
		f.readAgent(value)
	case allowRecord, disallowRecord:
		f.readRule(value, kind == allowRecord)
	case sitemapRecord:
		if value != "" {
			f.sitemaps = append(f.sitemaps, value)
		}
	case delayRecord:
		f.readDelay(value)
	default:
		f.kept = append(f.kept, fileRecord{value, f.lines.number, f.currentAudience(), kind, f.agentSeen})
	}
}

// readAgent reads an agent line. One that follows a rule begins a new group (RFC 9309, 2.2.1); other records between agent
// lines do not end a group (2.2.4).
func (f *fileReader) readAgent(value string) {
	f.agentSeen = true
	if f.ruled {
		f.group.clear()
		f.ruled = false
	}
	f.audience = -1
	if f.delayed {
		f.above.clear()
		f.delayed = false
	}
	agent, ok := f.agentOf(value)
	if !ok {
		return
	}
	f.group.add(agent)
	f.above.add(agent)
	if a := &f.agents[agent]; a.firstLine == 0 {
		a.firstLine = f.lines.number
	}
}

// agentOf returns the number of the agent that an agent line names. A "*" with more words behind it is "*"; a name counts up
// to the first octet that no token holds, so "FooBot/2.1" and "FooBot*" are FooBot. Google's parser reads both alike.
func (f *fileReader) agentOf(value string) (int, bool) {
	if strings.HasPrefix(value, "*") && (len(value) == 1 || isBlank(value[1])) {
		return agentStar, true
	}
	name := token.Cut(value)
	if f.number == nil {
		return agentOwn, name != "" && token.Equal(name, f.tokens[0])
	}
	var folded [64]byte
	agent, ok := f.number[string(token.AppendFold(folded[:0], name))]
	return agent, ok
}

// readRule reads an allow or a disallow. One that is empty, holds white space, or does not begin with "/" or "*" matches
// nothing, but it is a rule: an agent line behind it begins a new group.
func (f *fileReader) readRule(value string, allow bool) {
	f.ruled, f.delayed = true, true
	if f.group.empty() || value == "" || indexBlank(value) >= 0 {
		return
	}
	p := pattern.Compile(value)
	if !p.Matchable() {
		return
	}
	r := fileRule{
		rank:     rankOf(p.Priority(), allow),
		line:     uint32(f.lines.number),
		audience: uint32(f.currentAudience()),
	}
	r.pattern.at = uint32(len(f.patterns))
	f.patterns = append(f.patterns, p.Literal()...)
	r.literal = uint32(len(f.patterns))
	f.patterns = append(f.patterns, 0)
	f.patterns = append(f.patterns, p.Tail()...)
	r.pattern.end = uint32(len(f.patterns))
	if value != p.String() && len(value) <= longestRaw {
		f.raws = append(f.raws, value)
		r.raw = uint32(len(f.raws))
	}
	f.rules = append(f.rules, r)
}

// currentAudience is the index in audiences of the group as it has been read so far.
func (f *fileReader) currentAudience() int {
	if f.audience >= 0 {
		return f.audience
	}
	if len(f.audiences) == 0 {
		f.audiences = append(f.audiences, f.group.clone())
		f.audience = 0
		return 0
	}
	if f.audienceOf == nil {
		f.audienceOf = map[string]int{f.audiences[0].key(): 0}
	}
	key := f.group.key()
	i, ok := f.audienceOf[key]
	if !ok {
		i = len(f.audiences)
		f.audienceOf[key] = i
		f.audiences = append(f.audiences, f.group.clone())
	}
	f.audience = i
	return i
}

// readDelay reads a crawl delay: it is for the agents right above, and of two the last that is a number holds. It does not end
// the group, so the agent lines behind it share the rules that follow, and not the delay.
func (f *fileReader) readDelay(value string) {
	f.delayed = true
	d, ok := parseDelay(value)
	if !ok {
		f.kept = append(f.kept, fileRecord{value, f.lines.number, f.currentAudience(), delayRecord, f.agentSeen}) // to be told
		return
	}
	for agent := range f.agents {
		if f.above.has(agent) {
			f.agents[agent].delay = agentDelay{d, true}
		}
	}
}
