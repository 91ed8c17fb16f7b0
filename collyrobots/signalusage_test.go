package collyrobots

import (
	"strings"
	"testing"
)

// verdicts is what s says about each use that it speaks of: "search=allow ai-train=deny".
func verdicts(s Signals) string {
	var out []string
	for u := range uses {
		if v, _ := s.Verdict(u); v != Unknown {
			out = append(out, u.String()+"="+v.String())
		}
	}
	return strings.Join(out, " ")
}

func saidText(s said) string {
	var sum Signals
	for _, x := range s {
		sum.say(Source{}, x.verdict, x.use)
	}
	return verdicts(sum)
}

func TestContentUsage(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  string
		fails bool
	}{
		{"1 training denied, search unknown", []string{"train-ai=n"}, "ai-train=deny", false},
		{"2 several lines are one dictionary", []string{"train-ai=n", "search=y"}, "search=allow ai-train=deny", false},
		{"3 the last of a label counts, and only the tokens y and n", []string{`train-ai=y, train-ai, search=n, search="n"`}, "", false},
		{"3 the last of a label counts, over lines", []string{"train-ai=y", "train-ai=n"}, "ai-train=deny", false},
		{"4 a label in upper case is no dictionary", []string{"Train-AI=n"}, "", true},
		{"4 what cannot be read spoils the rest of it", []string{"train-ai=n, Search=n"}, "", true},
		{"4 and the other lines too", []string{"train-ai=n", "=="}, "", true},
		{"5 another token says nothing", []string{"train-ai=no"}, "", false},
		{"5 a value in upper case says nothing", []string{"train-ai=N"}, "", false},
		{"5 a boolean says nothing", []string{"train-ai=?0"}, "", false},
		{"5 a number says nothing", []string{"train-ai=0, search=1.0"}, "", false},
		{"5 a string says nothing", []string{`train-ai="n"`}, "", false},
		{"5 an inner list says nothing", []string{"train-ai=(n)"}, "", false},
		{"9 parameters are ignored", []string{"train-ai=n;x=1;y"}, "ai-train=deny", false},
		{"unknown labels are ignored", []string{"train-genai=n, bots=n, train-ai=n, x.y-z_*=n"}, "ai-train=deny", false},
		{"labels of earlier drafts say nothing", []string{"ai=n, genai=n, all=n, ai-use=n, ai-output=n"}, "", false},
		{"a trailing comma is no dictionary", []string{"train-ai=n,"}, "", true},
		{"blanks and tabs around a comma", []string{"train-ai=n \t, \t search=y"}, "search=allow ai-train=deny", false},
		{"blanks around = are none", []string{"train-ai = n"}, "", true},
		{"octets outside ASCII", []string{"train-ai=n, ü=n"}, "", true},
		{"nothing", []string{""}, "", false},
	} {
		s, err := parseUsage(tt.lines)
		if got := saidText(s); got != tt.want || (err != nil) != tt.fails {
			t.Errorf("%s: parseUsage(%q) = %q, %v, want %q, error %v", tt.name, tt.lines, got, err, tt.want, tt.fails)
		}
	}
}

func TestContentSignals(t *testing.T) {
	for _, tt := range []struct {
		name, value, want, limit string
		faults                   int
	}{
		{"1 what is not listed is unknown", "search=yes,ai-train=no", "search=allow ai-train=deny", "", 0},
		{"OP-12 search alone", "search=yes", "search=allow", "", 0},
		{"names and values without case", "Search=YES, AI-Input=No, aI-tRAIN=nO", "search=allow ai-input=deny ai-train=deny", "", 0},
		{"blanks are optional", "search=yes ,\tai-input = no,ai-train= no", "search=allow ai-input=deny ai-train=deny", "", 0},
		{"3 another value is unknown and reported", "ai-train=maybe", "", "", 1},
		{"3 no value", "ai-train=, search=no", "search=deny", "", 1},
		{"3 a name alone", "ai-train, search=no", "search=deny", "", 1},
		{"7 a limit of use", "use=reference", "", "reference", 0},
		{"7 of several limits the narrowest", "use=full, use=immediate, use=reference", "", "immediate", 0},
		{"7 a limit that is none", "use=everything, ai-train=no", "ai-train=deny", "", 1},
		{"of two answers no counts", "ai-train=yes, ai-train=no, ai-train=yes", "ai-train=deny", "", 0},
		{"blanks in place of commas", "search=yes ai-train=no", "search=allow ai-train=deny", "", 0},
		{"semicolons in place of commas", "search=yes; ai-train=no;", "search=allow ai-train=deny", "", 0},
		{"other names are ignored", "train-ai=no, images=no, =no, ai-train=no", "ai-train=deny", "", 0},
		{"y and n are other mechanisms' words", "ai-train=n, search=y", "", "", 2},
		{"nothing", " , ;", "", "", 0},
	} {
		s, limit, faults := parseContentSignal(tt.value)
		if got := saidText(s); got != tt.want || limit != tt.limit || len(faults) != tt.faults {
			t.Errorf("%s: parseContentSignal(%q) = %q, %q, %q, want %q, %q, %d faults", tt.name, tt.value, got, limit, faults, tt.want, tt.limit, tt.faults)
		}
	}
}

func FuzzContentUsage(f *testing.F) {
	for _, s := range []string{"train-ai=n", `train-ai=y, train-ai, search=n, search="n"`, "Train-AI=n", "train-ai=n;x=1", "a=(b c);d, e=:AA==:, f=@1, g=%\"x\""} {
		f.Add(s, "")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		s, err := parseUsage([]string{a, b})
		if err != nil && s != nil {
			t.Errorf("parseUsage(%q, %q) says %q although it cannot be read", a, b, saidText(s))
		}
		for _, x := range s {
			if !strings.Contains(a+b, "n") && x.verdict == Deny {
				t.Errorf("parseUsage(%q, %q) denies %v, and nobody says n", a, b, x.use)
			}
		}
	})
}

func FuzzContentSignal(f *testing.F) {
	for _, s := range []string{"search=yes,ai-train=no", "use=reference", "a=b c;d", "= = =,;", "ai-train = no"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		s, limit, faults := parseContentSignal(value)
		if len(faults) > keptProblems {
			t.Errorf("%d faults in %q", len(faults), value)
		}
		lower := strings.ToLower(value)
		for _, x := range s {
			if x.verdict == Allow && !strings.Contains(lower, "yes") || x.verdict == Deny && !strings.Contains(lower, "no") {
				t.Errorf("parseContentSignal(%q) says %v to %v", value, x.verdict, x.use)
			}
		}
		if limit != "" && !strings.Contains(lower, limit) {
			t.Errorf("parseContentSignal(%q) limits to %q", value, limit)
		}
	})
}
