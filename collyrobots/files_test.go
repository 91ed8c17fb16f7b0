package collyrobots

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
)

// A testFile is a robots.txt with URLs to ask it for, half of them made from its rules.
type testFile struct {
	name string
	body string
	urls []string
}

func (f *testFile) parsed(t testing.TB) []*url.URL {
	t.Helper()
	urls := make([]*url.URL, len(f.urls))
	for i, raw := range f.urls {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		urls[i] = u
	}
	return urls
}

// ordinaryFile has n rules for "*": 80 % literal, 14 % with one to three "*", 6 % with "$", a quarter of them allows.
func ordinaryFile(n int) testFile {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	word := func() string { return vocabulary(r.IntN(30) * r.IntN(30)) } // of some hundred, a few of them common
	path := func() string {
		var b strings.Builder
		for range 1 + r.IntN(3) {
			fmt.Fprintf(&b, "/%s", word())
			if r.IntN(3) > 0 {
				fmt.Fprintf(&b, "-%d", r.IntN(max(10, n)))
			}
		}
		return b.String()
	}
	var body strings.Builder
	body.WriteString("User-agent: *\n")
	paths := make([]string, n)
	for i := range paths {
		p := path()
		switch k := r.IntN(100); {
		case k < 6:
			p += [...]string{"$", ".html$", "/*.pdf$"}[r.IntN(3)]
		case k < 20:
			for range 1 + r.IntN(3) {
				p = [...]string{p + "*" + word(), p + "/*/" + word(), "/*" + p, "/*/" + word() + p, "/*?" + word() + "="}[r.IntN(5)]
			}
		}
		paths[i] = p
		kind := "Disallow"
		if r.IntN(4) == 0 {
			kind = "Allow"
		}
		fmt.Fprintf(&body, "%s: %s\n", kind, p)
	}
	f := testFile{name: fmt.Sprintf("%d rules", n), body: body.String()}
	for i := range 512 { // of about forty octets, as URLs of sites are
		p := path()
		if i%2 == 0 {
			p = strings.TrimSuffix(paths[r.IntN(n)], "$")
			p = strings.ReplaceAll(p, "*", word())
		}
		if !strings.Contains(p, "?") {
			if r.IntN(4) > 0 {
				p += path() + ".html"
			}
			if r.IntN(3) == 0 {
				p += fmt.Sprintf("?id=%d", r.IntN(1000))
			}
		}
		f.urls = append(f.urls, "https://www.shop.example"+p)
	}
	return f
}

// vocabulary is the k-th word that paths are made of: first those that are common on sites, then made-up ones.
func vocabulary(k int) string {
	common := strings.Fields("admin user search private shop cart item list page static feed print tag archive login news data " +
		"image export review order account help terms press jobs api results old new mobile")
	if k < len(common) {
		return common[k]
	}
	var b strings.Builder
	for k += len(common); k > 0; k /= 75 {
		b.WriteByte("bcdfgklmnprstvz"[k%15])
		b.WriteByte("aeiou"[k/15%5])
	}
	return b.String()
}

// repeatTo repeats line, which is given the number of the repetition, as long as the file stays within the parsing limit.
func repeatTo(limit int, line func(i int) string) string {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := 0; ; i++ {
		l := line(i)
		if b.Len()+len(l) > limit {
			return b.String()
		}
		b.WriteString(l)
	}
}

// word returns the i-th word of n letters of an alphabet.
func word(i, n int, alphabet string) string {
	b := make([]byte, n)
	for k := range b {
		b[k] = alphabet[i%len(alphabet)]
		i /= len(alphabet)
	}
	return string(b)
}

// cycle repeats s up to n octets.
func cycle(s string, n int) string { return strings.Repeat(s, n/len(s)+1)[:n] }

// deBruijn is a string of the given length over alphabet in which words of n letters come up in turn, each once, and so is
// full of near misses.
func deBruijn(alphabet string, n, length int) string {
	r := rand.New(rand.NewPCG(uint64(n), uint64(len(alphabet))))
	b := make([]byte, length)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

// hostileFiles are files of up to 500 KiB, each with the paths that make it most costly, of the given length.
func hostileFiles(length int) []testFile {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	const limit = parsingLimit
	file := func(name string, line func(i int) string, paths ...string) testFile {
		f := testFile{name: name, body: repeatTo(limit, line)}
		for _, p := range paths {
			f.urls = append(f.urls, "https://h.example/"+p[:min(len(p), length)])
		}
		return f
	}
	as := strings.Repeat("a", length)
	pairs := make([]string, 256)
	for i := range pairs {
		pairs[i] = word(i*131+7, 4, letters)
	}
	inOrder := cycle(strings.Join(pairs, "/"), length)
	return []testFile{
		file("a word after many", func(i int) string {
			return "Disallow: /" + strings.Repeat("*a", 22) + "*" + word(i, 3, letters) + "b\n"
		}, as, cycle("aXYZaYZXb", length)),
		file("half a match everywhere", func(i int) string {
			return "Disallow: /*aaaaaaa" + word(i, 3, "XYZWVUTSRQPONMLKJIHGFEDC") + "\n"
		}, cycle("aaaaaaaXY", length), cycle("aaaaaaaXYaYZ", length)),
		file("stars", func(int) string { return "Disallow: /" + strings.Repeat("*", 16600) + "b$\n" }, as),
		file("one line of stars", func(int) string { return "Disallow: /" + strings.Repeat("*", limit-40) + "b\n" }, as),
		file("one line of pieces", func(int) string { return "Disallow: /" + strings.Repeat("*a", limit/2-40) + "b\n" }, as),
		file("many pieces", func(i int) string {
			return "Disallow: /" + strings.Repeat("*a", 8000) + "*b" + word(i, 2, letters) + "\n"
		}, as),
		file("allow everything", func(int) string { return "allow:*\n" }, as),
		file("short words", func(i int) string { return "allow:/*" + word(i, 3, letters) + "*!\n" }, deBruijn(letters, 3, length)),
		file("words of two letters", func(i int) string { return "Allow:/*" + word(i, 15, "ab") + "\n" }, deBruijn("ab", 15, length)),
		file("long words of two letters", func(i int) string { return "Allow:/*" + word(i, 16, "ab") + cycle("ab", 60) + word(i, 16, "ba") + "\n" },
			deBruijn("ab", 15, length), cycle("ab", length)),
		file("words of four letters", func(i int) string { return "Allow:/*" + word(i, 8, "abcd") + "\n" }, deBruijn("abcd", 8, length)),
		file("pairs in the wrong order", func(i int) string {
			return "Allow:/*" + pairs[255-i%256] + "*" + pairs[(254-i%256)*(i/256)/256%256] + "\n"
		}, inOrder),
		file("triples in the wrong order", func(i int) string {
			return "Allow:/*" + pairs[i%256][:3] + "*" + pairs[i/256%256][:3] + "*" + pairs[(i/7)%256][:3] + "!\n"
		}, inOrder, cycle(inOrder[:len(inOrder)/2], length)),
		file("pieces of every length", func(i int) string { return "Allow:/*" + strings.Repeat("a", i+1) + "*Z\n" }, as, "Z"+as),
		file("prefixes of every length", func(i int) string { return "Allow:/" + strings.Repeat("a", i/4+1) + "*Z" + word(i, 2, letters) + "\n" }, as),
		file("a word that is there and one that is not", func(i int) string {
			return "Allow:/*" + word(i%1900, 5, letters) + "*" + word(i, 4, letters) + "!\n"
		}, cycle(deBruijn(letters, 5, 3000), length), func() string {
			var b strings.Builder
			for i := 0; b.Len() < length; i++ {
				b.WriteString(word(i%1900, 5, letters))
			}
			return b.String()
		}()),
		file("different literals", func(i int) string { return "Disallow: /" + word(i, 8, "ab") + word(i, 10, letters) + "\n" }, deBruijn("ab", 8, length)),
		file("ends", func(i int) string { return "Allow:/*" + word(i, 3, letters) + "$\n" }, as, deBruijn(letters, 3, length)),
	}
}
