package collyrobots

import (
	_ "embed" // for aitokens.txt
	"slices"
	"strings"
	"sync"
)

//go:embed aitokens.txt
var purposeTokensText string

// purposeTokens is a dated list of crawlers by what they collect for. It is shipped as data and never fetched.
type purposeTokens struct {
	date string
	of   map[Purpose][]string
}

var knownPurposeTokens = sync.OnceValue(func() purposeTokens { return readPurposeTokens(purposeTokensText) })

// purposeWords are the words of the list.
var purposeWords = map[string]Purpose{"train": PurposeAITrain, "input": PurposeAIInput, "archive": PurposeArchive}

func readPurposeTokens(text string) purposeTokens {
	t := purposeTokens{of: make(map[Purpose][]string)}
	for line := range strings.Lines(text) {
		line, comment, _ := strings.Cut(line, "#")
		if date, ok := strings.CutPrefix(strings.TrimSpace(comment), "date: "); ok {
			t.date = date
		}
		words := strings.Fields(line)
		for i := 1; i < len(words); i++ {
			p := purposeWords[words[i]]
			t.of[p] = append(t.of[p], words[0])
		}
	}
	return t
}

// PurposeTokens are the product tokens of crawlers that are known to collect for a purpose, and the date of the list, such as "2026-11-30". They
// are obeyed besides our own where that purpose is declared; for search, for another purpose and for none there are none. For AI it is the
// list of the ai.robots.txt project, cut down to what is certain: the file aitokens.txt says how. The slice is the caller's.
func PurposeTokens(p Purpose) (tokens []string, date string) {
	known := knownPurposeTokens()
	return slices.Clone(known.of[p]), known.date
}
