// Package report says what the crawl did not do, and why; and how politely it did the rest.
//
// A request that is not sent is a [Skip] with a [Reason]. Every part of the pack records its skips in a [Report], so that data that is missing because of
// a rule is a decision that can be read and not a surprise found weeks later. With a file, each skip is a line of JSON that outlives the process, and
// [Revisit] yields from it what may be asked again:
//
//	r, err := report.New(report.Options{Path: "skips.jsonl"})
//	defer r.Close()
//
// What is sent is measured when it is sent, against what was promised at that moment: an interval, a crawl delay, a block. [Report.Verify] is the self-audit: an
// error that names each promise that was broken. [Report.WriteText] is a table for a terminal, [Report.WriteHTML] a page with a drawing of each host's
// requests against the promise, [Report.WriteJSON] the same for machines. All of them speak of one process only.
//
// Memory is bounded: hosts, skips, rules and requests are kept up to a number, and what is dropped is counted and said.
//
// The package imports no other part and may be imported by all of them.
package report
