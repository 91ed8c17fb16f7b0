// Package etiquette makes a Colly scraper a good citizen of the web.
//
// One line does everything, right after NewCollector:
//
//	c := colly.NewCollector()
//	guard, err := etiquette.Attach(c, "MyDataBot/1.0 (+https://bot.example.com/about; mailto:data@example.com)")
//
// From then on every request of the collector and of its clones, redirects included, obeys robots.txt as RFC 9309 says, waits its turn at its host, goes
// out under that name, and ends when somebody stops the host. What is not sent is told, with the reason, and can be asked again.
//
// A team says how its scrapers behave in a [Policy], in code or in a file that [ReadPolicy] reads, and makes one [Guard] of it for all collectors,
// clones, plain clients and queues: they share the pace of each host, its robots.txt, its stops and the report.
//
// A Guard holds four parts and the report; each stands by itself, too, and is attached with a line of its own:
//
//   - collyrobots: robots.txt as RFC 9309 says
//   - throttle: each host paced by itself, crawl delays and 429 kept
//   - identity: a name and a contact on every request
//   - killswitch: a host stopped within seconds
//   - report: what was not sent, and why
//
// A request that is not sent is never silent: it is a [report.Skip] with a reason, and where it is an error, [Refused] finds the skip in it.
package etiquette
