package origin

import (
	"net/url"
	"testing"
)

var benchURLs = map[string]string{
	"name":     "https://www.shop.example/list/42?page=3",
	"port":     "http://www.shop.example:8080/list/42?page=3",
	"IPv4":     "http://192.0.2.17/list/42?page=3",
	"IPv6":     "http://[2001:db8::17]:8080/list/42?page=3",
	"capitals": "http://WWW.shop.example/",
	"IDNA":     "http://bücher.example/",
}

func BenchmarkOf(b *testing.B) {
	for name, raw := range benchURLs {
		b.Run(name, func(b *testing.B) {
			u, err := url.Parse(raw)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Of(u); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLookUp is what each request pays: from the URL to what is kept for its origin.
func BenchmarkLookUp(b *testing.B) {
	u, err := url.Parse(benchURLs["name"])
	if err != nil {
		b.Fatal(err)
	}
	o, err := Of(u)
	if err != nil {
		b.Fatal(err)
	}
	kept := map[Origin]int{o.Clone(): 1}
	b.ReportAllocs()
	for b.Loop() {
		o, err := Of(u)
		if err != nil || kept[o] != 1 {
			b.Fatal(o, err)
		}
	}
}

func TestCanonicalURLCostsNoAllocation(t *testing.T) {
	for _, name := range []string{"name", "port", "IPv4", "IPv6"} {
		u, err := url.Parse(benchURLs[name])
		if err != nil {
			t.Fatal(err)
		}
		got := testing.AllocsPerRun(100, func() {
			if _, err := Of(u); err != nil {
				t.Fatal(err)
			}
			if _, err := HostKey(u); err != nil {
				t.Fatal(err)
			}
		})
		if want := 0.0; got != want {
			t.Errorf("Of and HostKey of %s allocate %v times, want %v", u, got, want)
		}
	}
}
