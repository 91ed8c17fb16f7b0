// Package killswitch stops crawling a host, a domain, a path or everything, at once and for as long as a person wants it.
//
// A stop is a [Rule]. Rules come from a stop file that is watched ([Attach]), from code ([Switch.Stop]), from an admin endpoint
// ([Switch.Handler]) and from answers that say no for good (451). What is in force is the union of them all: no rule makes an exception from
// another, so that one more rule never lets more through.
//
// # What a stop reaches
//
// A stop is looked at before Colly's page cache and LimitRules, for every hop of a redirect, for robots.txt, after a wait for the throttle, and
// when net/http is about to send a request again by itself. The URL and the Host header that is sent are both judged. What waits is woken;
// with the action [Stop], what is under way is ended, bodies that are being read too, and its error matches [ErrStopped]. Queued requests are
// taken out by [Switch.FilterStorage], or by a throttle.Frontier with [Switch.Filter] that hears of changes by Options.OnChange.
//
// # The promise
//
// When Switch.Stop returns, no new request that the rule covers starts. A body that is being read ends within 100 ms. From the rename of the stop file
// to the last request less than 1.1 s pass (the file is read every 500 ms), from a call of the endpoint less than 100 ms. A Kubernetes ConfigMap
// reaches the file only after up to two minutes: use the endpoint when that is too long. A base transport that ignores contexts can keep a
// request alive that is under way.
//
// # The stop file
//
//	{"version": 1, "rules": [
//	  {"id": "ks-0017", "domain": "shop.example", "reason": "the owner asked by mail", "ticket": "OPS-4411"},
//	  {"id": "ks-0018", "host": "wiki.example", "path": "/search", "until": "2026-12-07T00:00:00Z", "reason": "search is overloaded"},
//	  {"id": "ks-0019", "host": "files.example", "port": 8443, "action": "drain", "reason": "let downloads end"}]}
//
// A bad file can add stops, never remove them. What is new stops at first sight. What is gone is lifted when the whole file was valid and stood
// unchanged for 2 s. A file that is cut short, empty, removed, older than the one before ("generation") or wrong in any field lifts nothing and
// raises an alarm; each rule in it whose host, domain or all can be read stops all the same, and the wider for each part that cannot. JSON was
// chosen because half a JSON file is not a valid one. Write a new file and rename it: a stop in a file that is still being written waits for its end.
//
// # What stays
//
// With Options.StateDir the stops of code, endpoint and 451 survive a restart, and may be shared by several processes. What is kept of them grows with the
// rules in force, not with those that ever were. The audit log beside it only ever grows; it may be moved away while it is in use, and a new one
// begins; see [VerifyAudit]. Without a StateDir the file is the state, and other rules end with the process.
package killswitch
