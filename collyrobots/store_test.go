package collyrobots

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/internal/testweb"
)

func newFileStore(t *testing.T) *FileStore {
	t.Helper()
	s, err := NewFileStore(filepath.Join(t.TempDir(), "robots"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func someEntry(origin string) Entry {
	return Entry{
		Origin: origin,
		Copy: &Copy{
			FetchedAt: noon, ExpiresAt: noon.Add(24 * time.Hour), Status: 200, Body: []byte("User-agent: *\nDisallow: /\xff\x00\n"),
			URL: origin + "/robots.txt", ETag: `W/"1"`, LastModified: "yesterday",
		},
		Failure: &Failure{Class: ClassUnreachable, Since: noon, At: noon.Add(time.Hour), RetryAt: noon.Add(2 * time.Hour), Count: 3, Status: 503, Cause: "down"},
	}
}

func TestAStoreGivesBackWhatItWasGiven(t *testing.T) {
	for name, s := range map[string]Store{"memory": &MemoryStore{}, "files": newFileStore(t)} {
		ctx := t.Context()
		if _, ok, err := s.Get(ctx, "https://a.test"); ok || err != nil {
			t.Errorf("%s: Get of nothing = %v, %v", name, ok, err)
		}
		for _, origin := range []string{"https://a.test", "http://a.test", "https://" + strings.Repeat("x", 250) + ":65535"} {
			want := someEntry(origin)
			for range 2 {
				if err := s.Put(ctx, want); err != nil {
					t.Fatalf("%s: Put = %v", name, err)
				}
			}
			got, ok, err := s.Get(ctx, origin)
			if diff := cmp.Diff(got, want); !ok || err != nil || diff != "" {
				t.Errorf("%s: Get = %v, %v (-got +want):\n%s", name, ok, err, diff)
			}
		}
		for range 2 {
			if err := s.Delete(ctx, "https://a.test"); err != nil {
				t.Errorf("%s: Delete = %v", name, err)
			}
		}
		if _, ok, _ := s.Get(ctx, "https://a.test"); ok {
			t.Errorf("%s: Get after Delete finds it", name)
		}
		if _, ok, _ := s.Get(ctx, "http://a.test"); !ok {
			t.Errorf("%s: Delete took another origin", name)
		}
	}
}

func TestABrokenFileIsAMiss(t *testing.T) {
	s := newFileStore(t)
	whole, err := encodeEntry(someEntry("https://a.test"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := encodeEntry(someEntry("https://b.test"))
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-60] ^= 1
	for name, text := range map[string][]byte{
		"empty": nil, "half": whole[:len(whole)/2], "checksum alone": whole[:65], "flipped bit": flipped, "another origin's": other,
		"zeros": make([]byte, 1000), "text": []byte("hello\nworld"), "no JSON": []byte(checksum([]byte("x")) + "\nx"), "twice": append(bytes.Clone(whole), whole...),
	} {
		if err := os.WriteFile(s.path("https://a.test"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		if e, ok, err := s.Get(t.Context(), "https://a.test"); ok || err != nil {
			t.Errorf("%s: Get = %+v, %v, %v, want a miss", name, e, ok, err)
		}
	}
	if err := s.Put(t.Context(), someEntry("https://a.test")); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := s.Get(t.Context(), "https://a.test"); !ok || err != nil {
		t.Errorf("Get after Put over a broken file = %v, %v", ok, err)
	}
}

func FuzzDecodeEntry(f *testing.F) {
	whole, err := encodeEntry(someEntry("https://a.test"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"Origin":"http://a","Copy":{"Body":"AA=="},"Failure":{"Class":"x"}}`))
	o, err := Options{}.checked()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, file := range [][]byte{text, append([]byte(checksum(text)+"\n"), text...)} {
			e, ok := decodeEntry(file)
			if !ok {
				continue
			}
			s := stateOf(e, &o)
			if c := s.copy; c != nil && s.at(c.FetchedAt.Add(25*time.Hour), &o) == rulesHold {
				t.Errorf("a copy is used after 25 h: %+v", e)
			}
		}
	})
}

func TestTwoProcessesMayWriteOneDirectory(t *testing.T) {
	a := newFileStore(t)
	b, err := NewFileStore(a.dir)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"a": true, "b": true}
	var wg sync.WaitGroup
	for name, s := range map[string]*FileStore{"a": a, "b": b} {
		wg.Go(func() {
			for range 200 {
				e := someEntry("https://a.test")
				e.Copy.ETag = name
				e.Copy.Body = bytes.Repeat([]byte(name), 20_000)
				if err := s.Put(t.Context(), e); err != nil {
					t.Errorf("Put = %v", err)
				}
				got, ok, err := s.Get(t.Context(), "https://a.test")
				if err != nil || !ok || !want[got.Copy.ETag] || !bytes.Equal(got.Copy.Body, bytes.Repeat([]byte(got.Copy.ETag), 20_000)) {
					t.Errorf("Get = %v, %v: not a whole entry", ok, err)
				}
			}
		})
	}
	wg.Wait()
	files, err := os.ReadDir(a.dir)
	if err != nil || len(files) != 1 {
		t.Errorf("the directory holds %v, %v, want one file", files, err)
	}
}

func TestNewFileStoreRemovesWhatNobodyWritesAnyMore(t *testing.T) {
	s := newFileStore(t)
	for name, age := range map[string]time.Duration{
		"old.robots": 61 * 24 * time.Hour, "young.robots": 59 * 24 * time.Hour, "left.tmp": 2 * time.Hour, "busy.tmp": 0, "mine.txt": 10000 * time.Hour,
	} {
		path := filepath.Join(s.dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(-age)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := NewFileStore(s.dir); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(s.dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	if diff := cmp.Diff(files, []string{"busy.tmp", "mine.txt", "young.robots"}); diff != "" {
		t.Errorf("left (-got +want):\n%s", diff)
	}
}

func TestNewFileStoreSaysWhatIsWrong(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", file, filepath.Join(file, "below")} {
		if _, err := NewFileStore(dir); err == nil || !strings.HasPrefix(err.Error(), "collyrobots: NewFileStore") {
			t.Errorf("NewFileStore(%q) = %v, want an error", dir, err)
		}
	}
}

// everyMinute starts a scraper each minute, as cron does, each with a Robots of its own.
func everyMinute(t *testing.T, web *testweb.Web, store Store, runs int, url string) {
	t.Helper()
	base := web.Transport()
	for range runs {
		r, err := New(Options{Base: base, Store: store, Logger: silent})
		if err != nil {
			t.Fatal(err)
		}
		_ = newCollector(t, r).Visit(url)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		after(time.Minute)
	}
}

func TestAScraperStartedEachMinuteFetchesRobotsTxtOnceADay(t *testing.T) {
	for name, store := range map[string]Store{"files": newFileStore(t), "memory": &MemoryStore{}} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, web *testweb.Web) {
				web.Host("shop.test").Robots(disallowPrivate).Page("/", "x")
				begin := time.Now()
				everyMinute(t, web, store, 2*24*60, "http://shop.test/")
				if diff := cmp.Diff(fetchedAfter(web, "shop.test", begin), []time.Duration{0, 24 * time.Hour}); diff != "" {
					t.Errorf("robots.txt was fetched at (-got +want):\n%s", diff)
				}
				if got := web.Count("GET http://shop.test/"); got != 2*24*60 {
					t.Errorf("%d pages, want one a minute", got)
				}
			})
		})
	}
}

func TestAScraperStartedEachMinuteKeepsToTheWaits(t *testing.T) {
	for name, test := range map[string]struct {
		answer testweb.Answer
		want   []int // minutes
	}{
		"unreachable":        {testweb.Answer{Status: 503}, []int{0, 1, 3, 7, 15, 31, 63, 123, 183}},
		"with a Retry-After": {testweb.Answer{Status: 503, Header: header("Retry-After", "7200")}, []int{0, 120}},
		"unavailable":        {testweb.Answer{Status: 404}, []int{0, 60, 180}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, web *testweb.Web) {
				web.Host("shop.test").Answer("/robots.txt", test.answer)
				begin := time.Now()
				everyMinute(t, web, newFileStore(t), 200, "http://shop.test/")
				var want []time.Duration
				for _, m := range test.want {
					want = append(want, time.Duration(m)*time.Minute)
				}
				if diff := cmp.Diff(fetchedAfter(web, "shop.test", begin), want); diff != "" {
					t.Errorf("robots.txt was fetched at (-got +want):\n%s", diff)
				}
			})
		})
	}
}

func TestACopyFromTheStoreIsRenewedByItsValidator(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Page("/", "x").Answer("/robots.txt", testweb.Answer{Body: disallowPrivate, Header: header("ETag", `"1"`)}, testweb.Answer{Status: 304})
		store := newFileStore(t)
		check(t, newRobots(t, web, Options{Store: store}), "http://shop.test/")
		after(30 * time.Hour)
		if d := check(t, newRobots(t, web, Options{Store: store}), "http://shop.test/private"); d.Class != ClassRules || d.Allowed {
			t.Errorf("Check = %+v", d)
		}
		after(time.Hour)
		check(t, newRobots(t, web, Options{Store: store}), "http://shop.test/")
		if got := web.Hits(); len(got) != 2 || got[1].Header.Get("If-None-Match") != `"1"` {
			t.Errorf("the server saw %v", web.Log())
		}
	})
}

func TestAnEntryIsNeverUsedPastItsLifeWhateverItSays(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots(disallowPrivate)
		now := time.Now()
		for name, e := range map[string]Entry{
			"expired":            {Copy: &Copy{FetchedAt: now.Add(-2 * time.Hour), ExpiresAt: now.Add(-time.Hour)}},
			"for ever":           {Copy: &Copy{FetchedAt: now.Add(-25 * time.Hour), ExpiresAt: now.Add(1000 * time.Hour)}},
			"from the future":    {Copy: &Copy{FetchedAt: now.Add(time.Hour), ExpiresAt: now.Add(5 * time.Hour)}},
			"unavailable, over":  {Failure: &Failure{Class: ClassUnavailable, At: now.Add(-2 * time.Hour), RetryAt: now.Add(-time.Hour)}},
			"unavailable, ever":  {Failure: &Failure{Class: ClassUnavailable, At: now.Add(-25 * time.Hour), RetryAt: now.Add(1000 * time.Hour)}},
			"no class":           {Failure: &Failure{Class: "?", At: now, RetryAt: now.Add(time.Hour)}},
			"empty":              {},
			"shorter MaxAge now": {Copy: &Copy{FetchedAt: now.Add(-11 * time.Hour), ExpiresAt: now.Add(13 * time.Hour)}},
		} {
			store := &MemoryStore{}
			e.Origin = "http://shop.test"
			if err := store.Put(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			web.Reset()
			r := newRobots(t, web, Options{Store: store, MaxAge: 10 * time.Hour})
			if d := check(t, r, "http://shop.test/private"); d.Allowed || len(web.Hits()) != 1 {
				t.Errorf("%s: Check = %+v after %v, want robots.txt fetched anew", name, d, web.Log())
			}
		}
	})
}

func TestTheClockThatWasSetBackMakesNothingLiveLonger(t *testing.T) {
	o, err := Options{}.checked()
	if err != nil {
		t.Fatal(err)
	}
	s := stateOf(Entry{Copy: &Copy{FetchedAt: noon, ExpiresAt: noon.Add(time.Hour)}}, &o)
	for d, want := range map[time.Duration]standing{-48 * time.Hour: unknown, -2 * time.Minute: unknown, -30 * time.Second: rulesHold, 0: rulesHold, time.Hour: unknown} {
		if got := s.at(noon.Add(d), &o); got != want {
			t.Errorf("at(%v) = %d, want %d", d, got, want)
		}
	}
}

// failing is a Store that fails.
type failing struct{ MemoryStore }

func (*failing) Get(context.Context, string) (Entry, bool, error) {
	return Entry{}, false, errors.New("disk on fire")
}
func (*failing) Put(context.Context, Entry) error { return errors.New("disk on fire") }

func TestAStoreThatFailsIsWarnedOfOnceAndStopsNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		for i := range 3 {
			web.Host(fmt.Sprintf("h%d.test", i)).Robots(disallowPrivate).Page("/", "x")
		}
		logger, lines := logLines()
		c := newCollector(t, newRobots(t, web, Options{Store: &failing{}, Logger: logger}))
		for i := range 3 {
			visit(t, c, nil, fmt.Sprintf("http://h%d.test/", i))
		}
		if got := lines("disk on fire"); len(got) != 1 {
			t.Errorf("warnings %q, want one", got)
		}
	})
}

func TestForgetFetchesAnewAndEmptiesTheStore(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots(disallowPrivate)
		store := newFileStore(t)
		r := newRobots(t, web, Options{Store: store})
		check(t, r, "http://shop.test/")
		web.Host("shop.test").Robots("")
		if err := r.Forget("http://SHOP.test:80/any/path"); err != nil {
			t.Fatal(err)
		}
		if d := check(t, r, "http://shop.test/private"); !d.Allowed || len(web.Hits()) != 2 {
			t.Errorf("Check = %+v after %v", d, web.Log())
		}
		for _, bad := range []string{"", "shop.test", "ftp://shop.test", "http://[::1"} {
			if err := r.Forget(bad); err == nil || !strings.HasPrefix(err.Error(), "collyrobots: Forget") {
				t.Errorf("Forget(%q) = %v, want an error", bad, err)
			}
		}
	})
}

func TestMemoryIsBoundedByBytesAndTheLeastUsedGoesFirst(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		rules := func(i int) string {
			var b strings.Builder
			b.WriteString("User-agent: *\n")
			for j := range 200 {
				fmt.Fprintf(&b, "Disallow: /%d/%d\n", i, j*7919)
			}
			return b.String()
		}
		web.Host("often.test").Robots(rules(0)).Page("/", "x")
		r := newRobots(t, web, Options{})
		r.cache.limit = 200_000
		c := newCollector(t, r)
		for i := range 100 {
			host := fmt.Sprintf("h%d.test", i)
			web.Host(host).Robots(rules(i)).Page("/", "x")
			visit(t, c, nil, "http://"+host+"/", "http://often.test/")
			after(time.Second)
			if got := r.cache.size.Load(); got > 200_000 {
				t.Fatalf("%d bytes are kept, want at most 200,000", got)
			}
		}
		if got := web.Count("GET http://often.test/robots.txt"); got != 1 {
			t.Errorf("what is used often was fetched %d times", got)
		}
		visit(t, c, nil, "http://h99.test/", "http://h0.test/")
		if a, b := web.Count("GET http://h99.test/robots.txt"), web.Count("GET http://h0.test/robots.txt"); a != 1 || b != 2 {
			t.Errorf("the newest was fetched %d times, the oldest %d, want 1 and 2", a, b)
		}
		var sum int64
		for i := range r.cache.shards {
			for _, s := range r.cache.shards[i].m {
				n := int64(siteBytes)
				if st := s.state.Load(); st != nil {
					n += st.bytes()
				}
				sum += n
			}
		}
		if got := r.cache.size.Load(); got != sum {
			t.Errorf("size = %d, the sites add up to %d", got, sum)
		}
	})
}

func TestAnOriginThatOwesAWaitIsNotEvicted(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("down.test").Answer("/robots.txt", testweb.Answer{Status: 503, Header: header("Retry-After", "3600")})
		r := newRobots(t, web, Options{})
		r.cache.limit = 10_000
		c := newCollector(t, r)
		visit(t, c, ErrUnreachable, "http://down.test/")
		for i := range 200 {
			_ = c.Visit(fmt.Sprintf("http://h%d.test/", i)) // 404
		}
		_ = c.Visit("http://down.test/")
		if got := web.Count("GET http://down.test/robots.txt"); got != 1 {
			t.Errorf("it was asked %d times within its wait", got)
		}
		if web.Count("GET http://h0.test/robots.txt") != 1 || r.cache.size.Load() > 10_000 {
			t.Errorf("%d bytes", r.cache.size.Load())
		}
		after(2 * time.Hour) // owes nothing any more
		for i := range 200 {
			_ = c.Visit(fmt.Sprintf("http://k%d.test/", i))
		}
		if r.cache.peek(mustOrigin(t, "http://down.test")) != nil {
			t.Error("it is kept although it owes nothing")
		}
	})
}

func TestTheRobotsOfAnotherProcessIsUsedWhenOursRunsOut(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots(disallowPrivate).Page("/", "x")
		store := newFileStore(t)
		a, b := newRobots(t, web, Options{Store: store}), newRobots(t, web, Options{Store: store})
		check(t, a, "http://shop.test/")
		after(10 * time.Hour)
		check(t, b, "http://shop.test/") // from the store
		after(13 * time.Hour)
		check(t, a, "http://shop.test/") // refreshes
		synctest.Wait()
		after(2 * time.Hour)
		check(t, b, "http://shop.test/") // finds that in the store
		if got := web.Count("GET http://shop.test/robots.txt"); got != 2 {
			t.Errorf("robots.txt was fetched %d times, want 2", got)
		}
	})
}

func mustOrigin(t *testing.T, raw string) origin.Origin {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	o, err := origin.Of(u)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
