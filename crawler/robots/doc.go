// Package robots says what a robots.txt allows a crawler, by RFC 9309. Its
// engine is github.com/temoto/robotstxt, which is given files it cannot
// misread: groups chosen, escapes in one spelling, every pattern anchored, one
// file for each length of rule. [Cache] keeps the answers of a crawl's hosts.
//
// It opens no connection of its own and does not wait: when a robots.txt is
// fetched is for the crawl loop to decide, and how politely for the frontier.
// [Directives] are what pages say of themselves, in meta elements and headers.
//
// Where to look:
//
//	rules.go   may this URL be fetched, and which rule says so?
//	parse.go   how is a file read, and which group is ours?
//	pattern.go how are patterns and paths compared?
//	set.go     what is left to the engine, and what not?
//	cache.go   what is known of a host, and who fetches what is not?
//	store.go   what is kept of that, and what is forgotten?
//	fetch.go   what do status codes, redirects and errors mean?
//	directives.go  what does a page say of itself?
package robots
