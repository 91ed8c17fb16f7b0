// Package collyrobots makes a Colly scraper obey robots.txt as RFC 9309 has it.
//
// One line, right after NewCollector:
//
//	c := colly.NewCollector(colly.UserAgent("FooBot/1.0 (+https://foo.example/bot)"))
//	robots, err := collyrobots.Attach(c)
//
// From then on each request of the collector and of its clones, HEAD and redirect hops included, is judged by the robots.txt of the
// origin it is really sent to. robots.txt is fetched once per origin, however many requests wait for it, kept for a day at most, and
// asked for through the same proxy and under the same name as the pages.
//
// What is not sent is told: to Options.OnSkip, as an Info line of log/slog with the URL, the line and the rule, and in the counts of a
// report.Report. What is found out on the wire is an error of Visit that matches [ErrDisallowed] or [ErrUnreachable]; what was known
// before is a skip, for which Visit returns nil.
//
// What an answer to the request for robots.txt means:
//
//	200, 203, 204           its rules hold
//	3xx                     followed, 5 hops; the rules count for the first origin
//	4xx                     unavailable: no rules, all is allowed
//	5xx, 408, 421, 425,
//	429, network errors     unreachable: everything is disallowed until it can be read
//
// [Compile] and [Rules.Match] answer for one file without any network; [Robots.Check] answers for one URL.
//
// A crawl delay is found and passed on to package throttle. Without that package nobody keeps it, and a warning says so.
package collyrobots
