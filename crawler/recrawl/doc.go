// Package recrawl visits pages again. A [Policy] does so when they are likely to have
// changed: it puts frontier/refresh to work in a crawl, and keeps what it learned of each
// page in the Meta of the page's request, so that a crawl over a frontier on disk goes on
// after a restart with all it knew. [Rounds] does so when somebody asks for it: all pages
// wait until [Renew] makes them due.
//
// It judges by the bytes of a body, or by what a program says is worth
// comparing; it estimates nothing itself.
//
// Where to look:
//
//	policy.go   when does a page come again that changes now and then?
//	rounds.go   how do all pages come again, and when is one gone?
package recrawl
