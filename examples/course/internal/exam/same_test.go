package exam

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatIsMissingIsFoundAsOftenAsItIsMissing(t *testing.T) {
	for _, tt := range []struct{ a, b, want []string }{
		{[]string{"x", "y"}, []string{"y", "x"}, nil},
		{[]string{"x", "x"}, []string{"x"}, []string{"x"}},
		{[]string{"x", "y"}, nil, []string{"x", "y"}},
		{nil, []string{"x"}, nil},
	} {
		if d := cmp.Diff(tt.want, diff(tt.a, tt.b)); d != "" {
			t.Errorf("diff(%q, %q) (-want +got):\n%s", tt.a, tt.b, d)
		}
	}
}
