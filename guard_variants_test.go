package etiquette

import (
	"fmt"
	"net/url"
	"testing"
)

func TestVariantsAreCountedToWithinATenth(t *testing.T) {
	for range 20 {
		v := newVariants()
		at := 0
		for i := 1; at == 0 && i < 10_000; i++ {
			for range 3 { // the same again counts once
				if v.add(&url.URL{Host: "shop.test", Path: "/list", RawQuery: fmt.Sprint("page=", i)}) {
					at = i
				}
			}
		}
		if at < manyVariants*85/100 || at > manyVariants*115/100 {
			t.Errorf("told at %d different queries, want about %d", at, manyVariants)
		}
	}
}

func TestVariantsNeedBoundedMemoryAndStillFindTheEndlessPath(t *testing.T) {
	v := newVariants()
	told := 0
	for i := range 100_000 {
		v.add(&url.URL{Host: "shop.test", Path: fmt.Sprint("/page/", i), RawQuery: "from=x"})
		if v.add(&url.URL{Host: "shop.test", Path: "/calendar", RawQuery: fmt.Sprint("day=", i)}) {
			told++
		}
		if len(v.paths) > maxPaths {
			t.Fatalf("%d paths are kept, want at most %d", len(v.paths), maxPaths)
		}
	}
	if told != 1 {
		t.Errorf("the endless path was told %d times among 100,000 others, want once", told)
	}
}

func TestVariantsCostNoAllocation(t *testing.T) {
	v := newVariants()
	u := &url.URL{Host: "shop.test", Path: "/list", RawQuery: "page=1"}
	v.add(u)
	if got := testing.AllocsPerRun(100, func() { v.add(u) }); got != 0 {
		t.Errorf("add allocates %v times, want not at all", got)
	}
}
