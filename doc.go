// Package etiquette makes a Colly scraper a good citizen of the web.
//
// This package holds what all parts have in common; each part stands by itself and is attached with one line right after NewCollector:
//
//   - collyrobots: robots.txt as RFC 9309 says
//   - throttle: each host paced by itself, crawl delays and 429 kept
//   - identity: a name and a contact on every request
//   - killswitch: a host stopped within seconds
//   - report: what was not sent, and why
//
// A request that is not sent is never silent: it is a [report.Skip] with a reason, and where it is an error, [Refused] finds the skip in it.
package etiquette
