package identity

import (
	"fmt"
	"path"
	"strings"

	"github.com/collyetiquette/etiquette/internal/token"
)

// libraries are the names that libraries, tools and run times send when nobody chose one, folded. They may stand behind the crawler's own name.
var libraries = setOf(`
	colly go-http-client curl wget python-requests python-urllib python-httpx aiohttp httpx scrapy axios okhttp java jakarta
	libwww-perl lwp apache-httpclient node-fetch node undici got guzzlehttp php faraday ruby rest-client reqwest httpie
	postmanruntime insomnia dart mechanize etiquette
	python python-httplib2 httplib2 urllib urllib3 pycurl libcurl go-resty resty fasthttp restsharp unirest-java httpclient commons-httpclient
	winhttp cfnetwork typhoeus perl dalvik lynx links w3m httrack phantomjs puppeteer playwright selenium crawlee`)

func setOf(words string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		set[token.Fold(w)] = true
	}
	return set
}

func libraryName(r *reading) string {
	names := []string{r.token}
	if len(r.products) > 0 {
		names = append(names, r.products[0].name)
	}
	for _, name := range names {
		if libraries[token.Fold(name)] {
			return fmt.Sprintf("%q is the name of a library or tool: put your crawler's own name in front", name)
		}
	}
	return ""
}

// libraryHomes are pages of libraries and toolchains: a host with the names below it, and a path with what is below it.
var libraryHomes = []struct{ host, path string }{
	{"github.com", "/gocolly"}, {"go-colly.org", ""}, {"github.com", "/collyetiquette"},
	{"raw.githubusercontent.com", "/gocolly"}, {"golang.org", ""}, {"go.dev", ""}, {"godoc.org", ""}, {"github.com", "/golang"},
	{"scrapy.org", ""}, {"github.com", "/scrapy"}, {"curl.se", ""}, {"python.org", ""}, {"aiohttp.org", ""},
	{"axios-http.com", ""}, {"nodejs.org", ""}, {"github.com", "/node-fetch"}, {"github.com", "/bitinn/node-fetch"},
}

func isLibraryHome(key, page string) bool {
	page = path.Clean("/" + strings.ToLower(page)) // as the server will
	for _, home := range libraryHomes {
		below, ok := strings.CutPrefix(page, home.path)
		if within(key, home.host) && ok && (home.path == "" || below == "" || below[0] == '/') {
			return true
		}
	}
	return false
}
