package collyrobots

import (
	"fmt"

	"github.com/dunglas/httpsfv"
)

// usageLabels are the labels of the AIPREF vocabulary (draft-ietf-aipref-vocab-07). Earlier drafts had others; sites that use those say
// nothing by them. Labels are compared as they stand, without folding.
var usageLabels = []struct {
	label string
	use   Use
}{
	{"train-ai", AITrain},
	{"search", Search},
}

// said is what one record or field says about some uses.
type said []answerFor

type answerFor struct {
	use     Use
	verdict Verdict
}

func (s *said) add(u Use, v Verdict) { *s = append(*s, answerFor{u, v}) }

// parseUsage reads a preference of Content-Usage: a dictionary of RFC 9651, over all lines of the field. A label with another value than the
// tokens y and n says nothing, and so do unknown labels and all parameters. A dictionary that cannot be read says nothing at all: the error
// says why.
func parseUsage(lines []string) (said, error) {
	d, err := httpsfv.UnmarshalDictionary(lines)
	if err != nil {
		return nil, fmt.Errorf("no dictionary of RFC 9651, so nothing in it counts: %w", err)
	}
	var s said
	for _, l := range usageLabels {
		member, ok := d.Get(l.label)
		if !ok {
			continue
		}
		item, ok := member.(httpsfv.Item)
		if !ok {
			continue
		}
		switch item.Value {
		case httpsfv.Token("y"):
			s.add(l.use, Allow)
		case httpsfv.Token("n"):
			s.add(l.use, Deny)
		}
	}
	return s, nil
}
