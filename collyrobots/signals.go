package collyrobots

import (
	"slices"
	"time"
)

// Signals is what a site says about the use of one page, besides allow and disallow. None of it is a ban on fetching the page: see
// [Options.Purpose] for what makes it one. The zero value says nothing. It is a value: nothing in it changes later, and its slices must not
// be changed.
//
// What is read, and what it means:
//
//	Content-Usage        robots.txt, header   train-ai, search: y allows, n denies (IETF draft aipref)
//	Content-Signal       robots.txt, header   search, ai-input, ai-train: yes allows, no denies; use= says how much
//	X-Robots-Tag         header               noindex denies Index and Search, nofollow Follow, none all three, noarchive Archive,
//	and meta robots      <head>               nosnippet Snippet; noai denies AITrain and AIInput; unavailable_after is a late noindex
//	tdm-reservation      header               1 denies TDM and AITrain, 0 allows TDM
//	License              robots.txt           there are terms, at that URL; they are not read, and the line alone denies nothing
//	Request-rate         robots.txt           the least time between two requests
//	Visit-time           robots.txt           the hours in which the site wants visits
//
// Where several speak of one use, a Deny wins, else an Allow counts, else it is Unknown. What is addressed to other crawlers counts only if
// their groups are obeyed too, see [Options.AlsoObey] and [Options.Purpose], and then its denials alone.
type Signals struct {
	// Statements are what was said about each use, for [Signals.Verdict] to sum up.
	Statements []Statement
	// NotAfter is from when on the page must be taken for one that says noindex (unavailable_after). Zero: never. Of several it is the first.
	NotAfter time.Time
	// UseLimit is how much of the page may be shown, as Content-Signal's "use" has it: "immediate" (nothing is kept), "reference" (an
	// excerpt with a link) or "full"; of several the narrowest. Empty: nothing is said.
	UseLimit string
	// Licenses are the URLs of licence terms that robots.txt names (RSL). A page under terms may still be fetched; whether it may be used, they say.
	Licenses []string
	// Rates are what Request-rate lines ask, for the group that we are judged by and those obeyed besides.
	Rates []RequestRate
	// Hours are when the site wants to be visited. The zero value: always.
	Hours Hours
	// Raw are all signals that were found, as they stand, whether or not they say anything here. Keep them with the page: vocabularies change.
	Raw []Source
	// Problems are signals that could not be read.
	Problems []Problem
}

// Bounds on what is kept. A page has a few signals; one that has thousands is not one whose thousandth says anything new. No Deny is ever lost
// to them: see addStatement.
const (
	keptStatements = 64
	keptRaw        = 64
	keptProblems   = 32
	keptRates      = 16
	keptLicenses   = 16
)

// Verdict says what the site says about a use of the page: Deny if anything denies it, else Allow if anything allows it, else Unknown. The
// sources are all that speak of it, those that deny first. The slice is the caller's.
func (s Signals) Verdict(u Use) (Verdict, []Source) {
	return s.sum(func(t *Statement) bool { return t.Use == u && !t.Images })
}

// Images is Verdict for the images of a page, as far as the page speaks for them (noai, noimageai, noimageindex). What an image's own
// answer and URL say counts besides.
func (s Signals) Images(u Use) (Verdict, []Source) {
	return s.sum(func(t *Statement) bool { return t.Use == u && t.Images })
}

func (s Signals) sum(about func(*Statement) bool) (Verdict, []Source) {
	verdict := Unknown
	var denials, grants []Source
	for i := range s.Statements {
		t := &s.Statements[i]
		if !about(t) {
			continue
		}
		verdict = max(verdict, t.Verdict)
		if t.Verdict == Deny {
			denials = append(denials, t.Source)
		} else {
			grants = append(grants, t.Source)
		}
	}
	return verdict, append(denials, grants...)
}

// MergeSignals is what all of them say together.
func MergeSignals(all ...Signals) Signals {
	var sum Signals
	for i := range all {
		sum.merge(&all[i])
	}
	return sum
}

func (s *Signals) merge(o *Signals) {
	for _, t := range o.Statements {
		s.addStatement(t)
	}
	s.expire(o.NotAfter)
	s.UseLimit = narrower(s.UseLimit, o.UseLimit)
	for _, l := range o.Licenses {
		if len(s.Licenses) < keptLicenses && !slices.Contains(s.Licenses, l) {
			s.Licenses = append(s.Licenses, l)
		}
	}
	for _, r := range o.Rates {
		s.addRate(r)
	}
	s.Hours = s.Hours.and(o.Hours)
	for _, r := range o.Raw {
		s.addRaw(r)
	}
	for _, p := range o.Problems {
		s.addProblem(p.Source, p.Text)
	}
}

// addStatement adds t. Once there are very many, only what changes a verdict is added, and of that there is little.
func (s *Signals) addStatement(t Statement) {
	if len(s.Statements) >= keptStatements {
		for i := range s.Statements {
			if o := &s.Statements[i]; o.Use == t.Use && o.Images == t.Images && o.Verdict >= t.Verdict {
				return
			}
		}
	}
	s.Statements = append(s.Statements, t)
}

// say adds one statement for each of the uses.
func (s *Signals) say(src Source, v Verdict, about ...Use) {
	for _, u := range about {
		s.addStatement(Statement{Use: u, Verdict: v, Source: src})
	}
}

func (s *Signals) addRaw(src Source) {
	if len(s.Raw) < keptRaw {
		s.Raw = append(s.Raw, src)
	}
}

func (s *Signals) addProblem(src Source, text string) {
	if len(s.Problems) < keptProblems {
		s.Problems = append(s.Problems, Problem{src, text})
	}
}

// addRate adds r. Of very many, the slowest that always holds is kept, whatever it takes the place of: nobody is asked faster for it.
func (s *Signals) addRate(r RequestRate) {
	if len(s.Rates) < keptRates {
		s.Rates = append(s.Rates, r)
		return
	}
	s.Rates = slices.Clone(s.Rates)
	last := &s.Rates[keptRates-1]
	last.Delay = max(last.Delay, r.Delay)
	last.Hours = Hours{}
}

func (s *Signals) expire(at time.Time) {
	if !at.IsZero() && (s.NotAfter.IsZero() || at.Before(s.NotAfter)) {
		s.NotAfter = at
	}
}
