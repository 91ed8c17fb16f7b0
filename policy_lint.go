package etiquette

import (
	"fmt"
	"strings"
	"time"

	"github.com/collyetiquette/etiquette/throttle"
)

// What a site that nobody has measured can bear: one to two requests a second, one connection at a time.
const (
	politeInterval    = time.Second
	politeParallelism = 2
	politeRobotsAge   = time.Hour
)

// Lint lists what a Policy asks for although it is impolite: an interval under a second, more than two requests at once, a robots.txt younger than an
// hour that is asked for anew, a rule without a reason. Each is a sentence that begins with the field. Nothing in it keeps [New] from making a
// Guard, which logs the same sentences as warnings. The order is that of the fields.
func (p Policy) Lint() []string {
	var all []string
	warn := func(path, format string, args ...any) {
		all = append(all, "Policy."+path+": "+fmt.Sprintf(format, args...))
	}
	for i, r := range p.Pace {
		path := fmt.Sprintf("Pace[%d]", i)
		switch {
		case r.Delay == throttle.NoDelay:
			warn(path+".Delay", "no gap between requests is only for hosts of your own")
		case r.Delay > 0 && r.Delay < politeInterval:
			warn(path+".Delay", "%s is less than %s between requests, which a site that nobody has measured may not bear", r.Delay, politeInterval)
		}
		if r.Parallelism > politeParallelism {
			warn(path+".Parallelism", "%d requests at once are more than %d, which a site that nobody has measured may not bear", r.Parallelism, politeParallelism)
		}
	}
	for i, permit := range p.Permit {
		path := fmt.Sprintf("Permit[%d]", i)
		if strings.TrimSpace(permit.Reason) == "" {
			warn(path+".Reason", "it is empty: say who allowed %s, for those who ask later", permit.Host)
		}
		if !permit.Until.IsZero() && !time.Now().Before(permit.Until) {
			warn(path+".Until", "%s has passed: the permit for %s no longer counts", permit.Until.Format(time.RFC3339), permit.Host)
		}
	}
	if age := p.Robots.MaxAge; age != 0 && age < politeRobotsAge {
		warn("Robots.MaxAge", "%s asks for each robots.txt more often than once an hour", age)
	}
	return all
}
