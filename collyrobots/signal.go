package collyrobots

import "fmt"

// Use is something that a page's content may be used for. A site may opt out of each by itself.
type Use uint8

// The uses that signals speak of.
const (
	Index   Use = iota // keep the page in an index that people search
	Follow             // follow the links of the page
	Snippet            // show text of the page
	Archive            // show a stored copy of the page
	Search             // lead people to the page by search, without AI summaries
	AIInput            // give the page to a model as input: retrieval, grounding, answers
	AITrain            // train or tune a model with the page
	TDM                // text and data mining, as the EU's copyright directive has it
	uses               // how many there are
)

var useNames = [uses]string{"index", "follow", "snippet", "archive", "search", "ai-input", "ai-train", "tdm"}

// String is the name of u, such as "ai-train".
func (u Use) String() string {
	if u >= uses {
		return fmt.Sprintf("Use(%d)", uint8(u))
	}
	return useNames[u]
}

// MarshalText is String, for JSON.
func (u Use) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (u *Use) UnmarshalText(text []byte) error {
	for i, name := range useNames {
		if name == string(text) {
			*u = Use(i)
			return nil
		}
	}
	return fmt.Errorf("collyrobots: %.40q is no use", text)
}

// Verdict is what a site says about one use. The zero value is Unknown.
type Verdict int8

const (
	// Unknown: the site says nothing. That is no permission and no denial; this package turns it into neither.
	Unknown Verdict = iota
	// Allow: the site says yes. That widens nothing: a disallow of robots.txt, a stop and a pace hold all the same.
	Allow
	// Deny: the site opts out.
	Deny
)

var verdictNames = [...]string{"unknown", "allow", "deny"}

// String is the name of v, such as "deny".
func (v Verdict) String() string {
	if v < Unknown || v > Deny {
		return fmt.Sprintf("Verdict(%d)", int8(v))
	}
	return verdictNames[v]
}

// MarshalText is String, for JSON.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (v *Verdict) UnmarshalText(text []byte) error {
	for i, name := range verdictNames {
		if name == string(text) {
			*v = Verdict(i)
			return nil
		}
	}
	return fmt.Errorf("collyrobots: %.40q is no verdict", text)
}

// Source is where a signal stands: enough to answer a site's owner who asks what was read, and how.
type Source struct {
	// Kind is the mechanism: "content-usage", "content-signal", "x-robots-tag", "meta", "tdm-reservation", "license", "crawl-delay",
	// "request-rate" or "visit-time".
	Kind string
	// Where it was found: the URL of a robots.txt (or "robots.txt", where a text alone was read), "header" or "html".
	Where string
	// Agent is whom it addresses: a product token, or "*" for everybody.
	Agent string `json:",omitempty"`
	// Line is the line in robots.txt, counted from 1; 0 elsewhere.
	Line int `json:",omitempty"`
	// Raw is the text as it stands there, at most 256 octets of it.
	Raw string
}

// String is s for people: "line 4 of https://shop.example/robots.txt: content-signal: ai-train=no".
func (s Source) String() string {
	switch {
	case s.Line > 0:
		return fmt.Sprintf("line %d of %s: %s: %s", s.Line, s.Where, s.Kind, s.Raw)
	case s.Agent != "" && s.Agent != "*":
		return fmt.Sprintf("%s, %s for %s: %s", s.Where, s.Kind, s.Agent, s.Raw)
	}
	return fmt.Sprintf("%s, %s: %s", s.Where, s.Kind, s.Raw)
}

// rawOctets is how much of a text a Source keeps.
const rawOctets = 256

// cutRaw is what a Source keeps of text.
func cutRaw(text string) string { return text[:min(len(text), rawOctets)] }

// Statement is one thing that a site says about one use.
type Statement struct {
	Use     Use
	Verdict Verdict // Allow or Deny
	// Images: it is about the images of the page, and not about its text.
	Images bool `json:",omitempty"`
	Source Source
}

// Problem is a signal that could not be read, or not wholly. It stops nothing.
type Problem struct {
	Source Source
	Text   string // what is wrong with it, in a few words
}
