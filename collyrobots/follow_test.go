package collyrobots

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

func TestRelOfALink(t *testing.T) {
	for _, tt := range []struct {
		name, rel           string
		polite, strict, all bool
	}{
		{"1 without case, among others", "NoFollow noopener", false, false, true},
		{"2 other words", "noopener noreferrer", true, true, true},
		{"3 whole words only", "nofollowed", true, true, true},
		{"3 no part of a word", "dofollow x-nofollow nofollow,ugc", true, true, true},
		{"5 ugc", "ugc", true, false, true},
		{"5 sponsored", "Sponsored", true, false, true},
		{"every white space", "a\tnofollow\nb", false, false, true},
		{"form feed and return", "a\fb\rnofollow", false, false, true},
		{"no-break space is none", "a\u00a0nofollow", true, true, true},
		{"nothing", "", true, true, true},
	} {
		for rules, want := range map[FollowRules]bool{FollowPolite: tt.polite, FollowStrict: tt.strict, FollowAll: tt.all} {
			if got := rules.follow(tt.rel); got != want {
				t.Errorf("%s: rules %d follow rel=%q: %v, want %v", tt.name, rules, tt.rel, got, want)
			}
		}
	}
}

// crawlLinks visits the home page of a site and follows what may be followed; OnHTML is given every link.
func crawlLinks(t *testing.T, web *testweb.Web, rules FollowRules) {
	t.Helper()
	r := newRobots(t, web, Options{FollowRules: rules})
	c := colly.NewCollector(colly.UserAgent(testAgent))
	if err := r.Attach(c); err != nil {
		t.Fatal(err)
	}
	c.OnHTML("a[href], area[href]", func(e *colly.HTMLElement) {
		if MayFollow(e) {
			_ = e.Request.Visit(e.Attr("href"))
		}
	})
	visit(t, c, nil, "http://shop.test/")
}

func TestLinksAreFollowedAsPageAndLinkSay(t *testing.T) {
	const page = `<head>%s</head><body><a rel=nofollow href=/no>no</a> <a href=/yes>yes</a> <a rel="UGC" href=/ugc>ugc</a> <map><area rel="x nofollow" href=/area></map>`
	for _, tt := range []struct {
		name   string
		header http.Header
		meta   string
		rules  FollowRules
		want   string
	}{
		{"polite", nil, "", FollowPolite, "/yes /ugc"},
		{"strict", nil, "", FollowStrict, "/yes"},
		{"all", nil, "", FollowAll, "/no /yes /ugc /area"},
		{"4 the page's header", field("X-Robots-Tag", "nofollow"), "", FollowPolite, ""},
		{"the page's header, for another", field("X-Robots-Tag", "otherbot: nofollow"), "", FollowPolite, "/yes /ugc"},
		{"the page's meta", nil, `<meta name="foobot" content="none">`, FollowPolite, ""},
		{"the page's meta, and all", nil, `<meta name="robots" content="nofollow">`, FollowAll, "/no /yes /ugc /area"},
	} {
		inBubble(t, func(t *testing.T, web *testweb.Web) {
			h := http.Header{"Content-Type": {"text/html"}}
			for k, v := range tt.header {
				h[k] = v
			}
			web.Host("shop.test").Robots("").Answer("/", testweb.Answer{Header: h, Body: fmt.Sprintf(page, tt.meta)}).
				Page("/no", "x").Page("/yes", "x").Page("/ugc", "x").Page("/area", "x")
			crawlLinks(t, web, tt.rules)
			want := []string{"GET http://shop.test/robots.txt", "GET http://shop.test/"}
			for _, p := range strings.Fields(tt.want) {
				want = append(want, "GET http://shop.test"+p)
			}
			wantLog(t, web, want...)
		})
	}
}

func TestOP22TheSameURLByAPlainLinkIsFetchedOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, web *testweb.Web) {
		web.Host("shop.test").Robots("").Page("/", `<a rel=nofollow href=/a>1</a><a href=/a>2</a><a rel=nofollow href=/a>3</a><a href=/a>4</a>`).Page("/a", "x")
		crawlLinks(t, web, FollowPolite)
		wantLog(t, web, "GET http://shop.test/robots.txt", "GET http://shop.test/", "GET http://shop.test/a")
	})
}

func TestLinksOnACollectorThatNothingIsAttachedTo(t *testing.T) {
	web := testweb.NewMemory()
	defer web.Close()
	web.Host("shop.test").Page("/", `<a rel=ugc href=/ugc></a><a rel=nofollow href=/no></a>`)
	c := colly.NewCollector(colly.UserAgent(testAgent))
	c.WithTransport(web.Transport())
	got := map[string]bool{}
	c.OnHTML("a", func(e *colly.HTMLElement) { got[e.Attr("href")] = MayFollow(e) })
	visit(t, c, nil, "http://shop.test/")
	if !got["/ugc"] || got["/no"] || len(got) != 2 {
		t.Errorf("MayFollow = %v, want what FollowPolite says", got)
	}
}

// A page is read once, however many links it has, and is not kept alive by that.
func TestAPageWithManyLinksIsReadOnce(t *testing.T) {
	web := testweb.NewMemory()
	defer web.Close()
	page := "<head>" + strings.Repeat("<link rel=x href=y>", 20_000) + `<meta name=robots content=nofollow></head><body>` + strings.Repeat("<a href=/x>x</a>", 5_000)
	web.Host("shop.test").Robots("").Page("/", page)
	c := newCollector(t, newRobots(t, web, Options{}))
	links, followed := 0, 0
	var key weak.Pointer[colly.Response]
	start := time.Now()
	c.OnHTML("a", func(e *colly.HTMLElement) {
		key = weak.Make(e.Response)
		if links++; MayFollow(e) {
			followed++
		}
	})
	visit(t, c, nil, "http://shop.test/")
	if links != 5_000 || followed != 0 {
		t.Errorf("%d links, %d followed, want 5000 and none", links, followed)
	}
	if took := time.Since(start); took > time.Minute { // read for each link it takes many
		t.Errorf("it took %v", took)
	}
	if _, known := nofollows.Load(key); !known {
		t.Error("the page is not remembered")
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); runtime.Gosched() {
		runtime.GC()
		if _, known := nofollows.Load(key); !known {
			return
		}
	}
	t.Error("what was remembered of the page stays after it is gone")
}

func FuzzRel(f *testing.F) {
	f.Add("NoFollow noopener")
	f.Add("a\u00a0nofollow\t")
	f.Fuzz(func(t *testing.T, rel string) {
		if FollowPolite.follow(rel) && strings.Contains(" "+strings.ToLower(rel)+" ", " nofollow ") {
			t.Errorf("rel=%q is followed", rel)
		}
		if !FollowPolite.follow(rel) && FollowStrict.follow(rel) {
			t.Errorf("rel=%q: strict rules follow what polite ones do not", rel)
		}
	})
}
