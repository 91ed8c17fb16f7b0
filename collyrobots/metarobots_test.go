package collyrobots

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

func TestMetaRobots(t *testing.T) {
	const both, all = "index=deny follow=deny search=deny", "index=deny search=deny"
	const ai = "ai-input=deny ai-train=deny"
	const noindex = `<meta name="robots" content="noindex">`
	for _, tt := range []struct{ name, page, want string }{
		{"1 names and rules without case", `<head><meta name="ROBOTS" content="noindex,NOFOLLOW"></head>`, both},
		{"2 everybody's and ours add up", `<head><meta name="acmebot" content="nosnippet"><meta name="robots" content="noindex"></head>`, all + "!snippet"},
		{"3 another's", `<head><meta name="otherbot" content="none"></head>`, ""},
		{"4 noai, noimageai", `<head><meta name="robots" content="noai, noimageai"></head>`, ai},
		{"7 neither word", `<head><meta name="robots" content="max-snippet:-1"><meta name="description" content="noai"></head>`, ""},
		{"OP-05 our name", `<head><meta NAME="AcmeBot" content="NoAI"></head>`, ai},
		{"OP-06 the body is not read", `<head></head><body><meta NAME="AcmeBot" content="NoAI"></body>`, ""},
		{"OP-06 a body that is not written out", `<p>hello<meta name="acmebot" content="noai">`, ""},
		{"OP-06 text begins the body", `hello ` + noindex, ""},
		{"OP-06 behind the body", `<body></body>` + noindex, ""},
		{"no head written out", noindex, all},
		{"attributes in another order, without quotes", `<meta content=noindex data-x name=robots>`, all},
		{"single quotes and a slash", `<META CONTENT='noindex' NAME='robots' />`, all},
		{"character references", `<meta name="&#114;obots" content="no&#x69;ndex&comma; nofollow">`, both},
		{"blanks around the name", `<meta name=" robots " content=noindex>`, all},
		{"the first of two attributes counts", `<meta name=robots name=x content=noindex content=all>`, all},
		{"a date", `<meta name="robots" content="unavailable_after: 25-Aug-2007 15:00:00 EST">`, all},
		{"an agent before a rule is for headers only", `<meta name="robots" content="otherbot: noindex">`, ""},
		{"no content", `<meta name="robots">`, ""},
		{"a comment", `<!-- ` + noindex + ` -->`, ""},
		{"a script", `<script>document.write('` + noindex + `')</script>`, ""},
		{"a title", `<title>` + noindex + `</title>`, ""},
		{"a style", `<style>` + noindex + `</style>`, ""},
		{"noframes", `<noframes>` + noindex + `</noframes>`, ""},
		{"behind all of these", `<!doctype html><html lang=en><head><base href=/><title>a<b></title><script>if(a<b){}</script><style>p{}</style><link rel=x><!----> ` + noindex, all},
		{"in noscript: nobody runs scripts here", `<head><noscript>` + noindex + `</noscript>`, all},
		{"behind a picture in noscript", `<head><noscript><img src=/p.gif></noscript>` + noindex, all},
		{"behind a picture in noscript, without <head>", `<noscript><img src=/p.gif>text</noscript>` + noindex, all},
		{"a template is no part of the page", `<head><template>` + noindex + `<template></template>` + noindex + `</template></head>`, ""},
		{"behind a template", `<head><template><p>x</template>` + noindex, all},
		{"behind </head>, before the body", `<head></head> ` + noindex + `<body>`, all},
		{"what does not belong there ends no head that is written out", `<head><div>x</div>y` + noindex + `</head>`, all},
		{"but </head> does", `<head><div></div></head>x` + noindex, ""},
		{"an end tag that fits nowhere", `</p></div>` + noindex, all},
		{"broken off in the tag", `<head><meta name="robots" content="noindex`, ""},
		{"a frameset", `<frameset>` + noindex, ""},
		{"a byte order mark", "\xEF\xBB\xBF" + noindex, all},
		{"no page", "", ""},
		{"one octet", "<", ""},
	} {
		s := HTMLSignals([]byte(tt.page), "AcmeBot", testNow)
		want := tt.want
		if w, ok := strings.CutSuffix(want, "!snippet"); ok {
			want = strings.Replace(w, " search", " snippet=deny search", 1)
		}
		if got := verdicts(s); got != want {
			t.Errorf("%s: %s says %q, want %q", tt.name, tt.page, got, want)
		}
	}
}

func TestImagesOfAPage(t *testing.T) {
	s := HTMLSignals([]byte(`<meta name="robots" content="noimageai">`), "AcmeBot", testNow)
	if v, _ := s.Images(AITrain); v != Deny || verdicts(s) != "" {
		t.Errorf("6 noimageai: images %v, text %q, want the images denied and the text unknown", v, verdicts(s))
	}
}

func TestPagesInUTF16(t *testing.T) {
	page := `<head><meta name="robots" content="noindex">`
	for _, big := range []bool{true, false} {
		text := []byte{0xFF, 0xFE}
		if big {
			text = []byte{0xFE, 0xFF}
		}
		for _, u := range utf16.Encode([]rune(page)) {
			if big {
				text = append(text, byte(u>>8), byte(u))
			} else {
				text = append(text, byte(u), byte(u>>8))
			}
		}
		if got, want := verdicts(HTMLSignals(text, "AcmeBot", testNow)), "index=deny search=deny"; got != want {
			t.Errorf("a page in UTF-16, big-endian %v, says %q, want %q", big, got, want)
		}
	}
}

func TestInXHTMLAnEmptyElementHasNoText(t *testing.T) {
	page := []byte(`<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="/s.js"/><title/><meta name="robots" content="noindex"/></head>`)
	a := agentsOf("AcmeBot", nil)
	if got, want := verdicts(htmlSignals(page, a, testNow, true)), "index=deny search=deny"; got != want {
		t.Errorf("as XHTML the page says %q, want %q", got, want)
	}
	if got := verdicts(htmlSignals(page, a, testNow, false)); got != "" {
		t.Errorf("as HTML, where all of it is the script's text, the page says %q, want nothing", got)
	}
}

func TestHeadsFromAStrangerAreBounded(t *testing.T) {
	late := `<meta name="robots" content="noindex">`
	for name, page := range map[string]string{
		"a long head":          "<head>" + strings.Repeat("<link rel=x>", mostHeadOctets/12) + late,
		"a long comment":       "<head><!--" + strings.Repeat("x", mostHeadOctets) + "-->" + late,
		"a long script":        "<head><script>" + strings.Repeat("x", mostHeadOctets) + "</script>" + late,
		"many templates":       "<head>" + strings.Repeat("<template>", mostHeadOctets/10) + late,
		"many attributes":      "<head><meta " + strings.Repeat("a ", mostHeadOctets/2) + ">" + late,
		"one endless tag name": "<head><" + strings.Repeat("a", mostHeadOctets) + ">" + late,
	} {
		s := HTMLSignals([]byte(page), "AcmeBot", testNow)
		if got := verdicts(s); got != "" || len(s.Problems) != 1 {
			t.Errorf("%s: says %q, problems %q, want what lies behind 2 MiB unread and that said", name, got, problems(s))
		}
	}
	var many strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&many, `<meta name=acmebot content="noarchive,x%d">`, i)
	}
	s := HTMLSignals([]byte(many.String()+late), "AcmeBot", testNow)
	if got, want := verdicts(s), "index=deny archive=deny search=deny"; got != want {
		t.Errorf("behind 20,000 others: %q, want %q", got, want)
	}
	if len(s.Statements) > keptStatements+2 || len(s.Raw) > keptRaw || len(s.Problems) > keptProblems {
		t.Errorf("%d statements, %d texts, %d problems are kept", len(s.Statements), len(s.Raw), len(s.Problems))
	}
	s = HTMLSignals([]byte(`<meta name=robots content="`+strings.Repeat("noindex,", 2<<10)+`nofollow">`), "AcmeBot", testNow)
	if got, want := verdicts(s), "index=deny search=deny"; got != want {
		t.Errorf("a content of 16 KiB says %q, want what lies within 8 KiB, %q", got, want)
	}
}

func FuzzMetaRobots(f *testing.F) {
	for _, s := range []string{`<head><meta name="robots" content="noindex"></head><body>`, `<noscript><img></noscript><meta name=robots content=noai>`,
		"<template><meta></template>", "\xFF\xFE<\x00", `<script><!--<script></script>--></script><meta name=robots content=none>`} {
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, page []byte, xhtml bool) {
		a := agentsOf("AcmeBot", nil)
		s := htmlSignals(page, a, testNow, xhtml)
		for _, st := range s.Statements {
			if st.Verdict != Deny || !a.addresses(st.Source.Agent) {
				t.Errorf("%q: %+v", page, st)
			}
		}
		// The body plays no part.
		if got, want := verdicts(htmlSignals(append([]byte("<body>"), page...), a, testNow, xhtml)), ""; got != want {
			t.Errorf("the body %q says %q", page, got)
		}
	})
}
