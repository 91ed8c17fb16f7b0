// Package identity says who a crawler is, and sees to it that every request says so.
//
// One [Identity] is the only source of the User-Agent, of the From field and of the product token by which a robots.txt addresses the
// crawler. It is attached in one line,
//
//	id, err := identity.Attach(c, "AcmeBot/1.2 (+https://bot.acme.dev/crawler; mailto:crawl@acme.dev)")
//
// and from then on every hop, redirects, clones and robots.txt included, goes out under that name, whatever a callback wrote into the
// header. An operator who can reach a crawler's owner sends an email; one who cannot, blocks the subnet. Therefore a User-Agent without
// a contact is an error, and so are the names of browsers, of libraries and of other people's crawlers. [Check] lists what is wrong with a
// string.
//
// A contact that is still the one of a tutorial (https://example.com/bot, you@yourdomain.com) is let through by [New] and [Attach] with a
// warning, and refused on the wire for every target but loopback and names that cannot exist in the world (RFC 2606, RFC 6761):
// examples run as they are, and the same code does not go out until a real contact is put in.
package identity
