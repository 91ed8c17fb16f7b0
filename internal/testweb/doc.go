// Package testweb is a small web of many hosts for tests and examples: scripted answers, and a log of what really arrived.
//
//	web := testweb.NewMemory()
//	defer web.Close()
//	shop := web.Host("shop.test")
//	shop.Robots("User-agent: *\nDisallow: /cart\n")
//	shop.Page("/", testweb.Links("/a", "/cart"))
//	shop.Answer("/a", testweb.Answer{Status: 503}, testweb.Answer{Body: "well again"})
//	// ... crawl through web.Transport() ...
//	web.Log() // "GET http://shop.test/robots.txt", "GET http://shop.test/", ...
//
// The server is the real [net/http.Server], for http and https and for every port. There are three ways to have it:
//
//   - [NewMemory]: no network at all; made inside a testing/synctest bubble it runs on the bubble's clock;
//   - [NewLoopback]: real connections to 127.0.0.1, through [Web.Transport];
//   - [Start]: the same, and [net/http.DefaultTransport] finds the names under .test, so that a program reads as its user writes it.
//
// Everything here may be used by many goroutines at once. A name or a script that makes no sense panics: it is the test that
// is wrong.
package testweb
