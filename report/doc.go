// Package report holds what the crawl did not do, and why.
//
// A request that is not sent is a [Skip] with a [Reason]. Every part of the pack records its skips in a [Report], so that
// data that is missing because of a rule is a decision that can be read and not a surprise found weeks later.
//
// The package imports no other part and may be imported by all of them.
package report
