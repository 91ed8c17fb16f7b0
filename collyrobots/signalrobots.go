package collyrobots

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"time"
	"unsafe"

	"github.com/collyetiquette/etiquette/internal/pattern"
)

// robotsSignals is what a robots.txt says besides its rules, compiled for one crawler and those that it obeys besides. It never changes.
type robotsSignals struct {
	usage   []usageRecord // of Content-Usage, the longest path first
	content []usageRecord // of Content-Signal, likewise
	agents  int           // how many there are, and one more: nobody in particular, for records above the first group
	ours    int           // the agent that we are judged by; agentNone: nobody
	common  Signals       // what holds for all paths
	hours   *Hours        // a copy of common.Hours that the throttle may keep for longer than the rest; nil: always
}

// usageRecord is a record that says something of the use of some paths.
type usageRecord struct {
	path   pattern.Pattern
	who    agentSet // whom it addresses
	said   said
	limit  string // of use
	source Source
}

// signalRecord is a record of which signals are made.
type signalRecord struct {
	kind   recordKind
	value  string
	line   int
	who    agentSet
	agent  string // whom it addresses, for people
	inNone bool   // it stands above all groups
}

const (
	// keptVisits is how many windows of Visit-time count. Those that are left out would have opened more hours.
	keptVisits = 64
	// everywhere is the path of a record that names none.
	everywhere = "/"
)

// newRobotsSignals compiles records; nil if there are none that say anything.
func newRobotsSignals(records []signalRecord, agents, ours, dropped int) *robotsSignals {
	rs := &robotsSignals{agents: agents + 1, ours: ours}
	var visits []signalRecord
	for _, rec := range records {
		src := Source{Kind: rec.kind.String(), Where: "robots.txt", Agent: rec.agent, Line: rec.line, Raw: cutRaw(rec.value)}
		switch src.Kind {
		case "content-usage", "content-signal":
			rs.addUsage(src, rec)
		case "license":
			rs.common.addRaw(src)
			rs.addLicense(src, rec.value)
		case "request-rate":
			rs.common.addRaw(src)
			if d, hours, ok := parseRate(rec.value); ok {
				rs.common.addRate(RequestRate{d, hours, src})
			} else {
				rs.common.addProblem(src, "no number of pages in a time, so it does not count")
			}
		case "visit-time":
			rs.common.addRaw(src)
			if _, _, ok := parseWindow(rec.value); !ok {
				rs.common.addProblem(src, "no window of hours, so it does not count")
			} else if len(visits) == keptVisits {
				rs.common.addProblem(src, fmt.Sprintf("more than %d windows: this one does not count", keptVisits))
			} else {
				visits = append(visits, rec)
			}
		case "crawl-delay":
			rs.common.addRaw(src)
			rs.common.addProblem(src, "no number of seconds, so it does not count")
		default:
			continue
		}
		if rec.inNone && src.Kind != "license" {
			rs.common.addProblem(src, "above all groups, so it is addressed to nobody in particular: it counts as far as it restricts")
		}
	}
	if hours := rs.hoursOf(visits); !hours.IsZero() {
		rs.common.Hours, rs.hours = hours, &hours
	}
	if dropped > 0 {
		rs.common.addProblem(Source{Kind: "robots.txt", Where: "robots.txt", Agent: "*"}, fmt.Sprintf("%d records are left out: there are too many, or they are too long", dropped))
	}
	byLength := func(a, b usageRecord) int { return cmp.Compare(b.path.Priority(), a.path.Priority()) }
	slices.SortStableFunc(rs.usage, byLength)
	slices.SortStableFunc(rs.content, byLength)
	if rs.usage == nil && rs.content == nil && rs.common.Raw == nil && rs.common.Problems == nil {
		return nil
	}
	return rs
}

// addUsage takes a record of Content-Usage or Content-Signal. One that cannot be read is as if it were not there: it hides no shorter path.
func (rs *robotsSignals) addUsage(src Source, rec signalRecord) {
	path, text := everywhere, rec.value
	if text != "" && text[0] == '/' {
		i := indexBlank(text)
		if i < 0 {
			i = len(text)
		}
		path, text = text[:i], trimBlanks(text[i:])
	}
	r := usageRecord{path: pattern.Compile(path), who: rec.who, source: src}
	if text == "" {
		rs.common.addRaw(src)
		rs.common.addProblem(src, "nothing is said in it")
		return
	}
	if src.Kind == "content-usage" {
		var err error
		if r.said, err = parseUsage([]string{text}); err != nil {
			rs.common.addRaw(src)
			rs.common.addProblem(src, err.Error())
			return
		}
		rs.usage = append(rs.usage, r)
		return
	}
	var faults []string
	r.said, r.limit, faults = parseContentSignal(text)
	for _, f := range faults {
		rs.common.addProblem(src, f)
	}
	if path != everywhere {
		rs.common.addProblem(src, "this record is not known to have a path; it is read as one of Content-Usage")
	}
	rs.content = append(rs.content, r)
}

func (rs *robotsSignals) addLicense(src Source, value string) {
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		rs.common.addProblem(src, "no absolute URL, so it does not count")
	case len(rs.common.Licenses) == keptLicenses:
		rs.common.addProblem(src, fmt.Sprintf("more than %d licences: this one is left out", keptLicenses))
	case !slices.Contains(rs.common.Licenses, value):
		rs.common.Licenses = append(rs.common.Licenses, value)
	}
}

// hoursOf is when all of those that we are may visit: each in any of its own windows.
func (rs *robotsSignals) hoursOf(visits []signalRecord) (hours Hours) {
	if visits == nil {
		return Hours{}
	}
	for agent := range rs.agents {
		open, asked := Hours{}.not(), false
		for _, v := range visits {
			if v.who.has(agent) {
				from, to, _ := parseWindow(v.value)
				open, asked = open.or(hoursBetween(from, to)), true
			}
		}
		if asked {
			hours = hours.and(open)
		}
	}
	return hours
}

// rateAt is the longest of the delays that Request-rate lines ask for at a time.
func (rs *robotsSignals) rateAt(t time.Time) (longest time.Duration) {
	for i := range rs.common.Rates {
		if r := &rs.common.Rates[i]; r.Delay > longest && r.Hours.Contains(t) {
			longest = r.Delay
		}
	}
	return longest
}

// bytes is about what it takes in memory. The texts of its sources belong to the notes.
func (rs *robotsSignals) bytes() int {
	if rs == nil {
		return 0
	}
	n := int(unsafe.Sizeof(*rs))
	for _, records := range [][]usageRecord{rs.usage, rs.content} {
		n += cap(records) * int(unsafe.Sizeof(usageRecord{}))
		for i := range records {
			n += 8*cap(records[i].who) + cap(records[i].said)*int(unsafe.Sizeof(answerFor{})) + len(records[i].path.String())
		}
	}
	if rs.hours != nil {
		n += int(unsafe.Sizeof(*rs.hours))
	}
	c := &rs.common
	n += cap(c.Rates)*int(unsafe.Sizeof(RequestRate{})) + cap(c.Raw)*int(unsafe.Sizeof(Source{})) + cap(c.Licenses)*int(unsafe.Sizeof(""))
	for i := range c.Problems {
		n += int(unsafe.Sizeof(Problem{})) + len(c.Problems[i].Text)
	}
	return n
}
