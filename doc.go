// Package etiquette makes a Colly scraper a good citizen of the web.
//
// This package holds what all parts have in common; each part stands by itself and is attached with one line right after NewCollector:
//
//   - collyrobots: robots.txt exactly as RFC 9309 says
//   - report: what was not sent, and why
//
// A request that is not sent is never silent: it is a [report.Skip] with a reason, and where it is an error, [Refused] finds the skip in it.
package etiquette
