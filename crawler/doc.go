// Package crawler fetches pages, reads them and follows their links, in the
// order and at the pace that a [frontier.Frontier] allows. It does not decide
// politeness, it keeps no pages, and it does not judge them: that is for the
// Frontier, the [Sink], and whoever writes a [Follow].
//
// [Crawler.Run] takes each URL from the Frontier all the way: robots.txt, the
// [Fetcher], the [Parser], the links by Follow, the Sink, and back to the
// Frontier with the links found. [Crawler.Pages] is the same as an iterator.
// Each part is an interface of one method and has a default, so that a program
// says only what it wants otherwise.
//
// Where to look:
//
//	page.go     what passes between the parts: Response, Page, Link
//	crawler.go  what happens to one URL, and what can be set?
//	run.go      how does a run begin, end, and give back what it did not finish?
//	visit.go    what becomes of a page, good or bad?
//	settle.go   how is the Frontier told of a visit, and who is told after?
//	permit.go   when is robots.txt asked, and what if it cannot be had?
//	locate.go   at which address is a host that was not visited yet?
//	terms.go    what do a Fetcher and a Parser learn of the run?
//	alias.go    redirects and rel=canonical: which URL does a page go by?
//	note.go     what does the loop keep with a request?
//	changed.go  has a page changed since it was put?
//	result.go   what is a Sink told of a page: new, changed, same, gone, moved?
//	insist.go   what if the Frontier, or a handler, does not answer?
//	nothing.go  what if no seed can be had?
//	claim.go    what if the URL that a page goes by is dead?
//	budget.go   which budgets can be met, and who is not waited for?
//	internal/admit  how much goes on at a time: budgets, places, patience, memory
//	event.go    how is a run watched and counted?
//	pages.go    how does the iterator hand pages over?
//	plugin.go   what works on a crawl by several of its parts?
//	explain.go  what does a run make of a URL?
//	live/       what is a run at, and how is it paused?
//	collect/    links first, pages later
//	errors.go   what can go wrong with a page?
//	retry.go    what is tried again, and when?
//	follow.go   which links are worth it?
//
// Fetching by HTTP:
//
//	http.go         HTTP, the Fetcher: what can be set, and what it promises
//	settings.go     which settings are refused?
//	ask.go          a request that is no plain GET; queued.go: that waits in a Frontier
//	transport.go    who else is to see the exchanges?
//	internal/fetch  connections, proxies, decoding, redirects, cookies
//
// Reading pages:
//
//	router.go         which Parser reads which page?
//	html.go           HTML, the Parser: what can be set, and what it promises
//	internal/html     what does a page say: title, text, links, directives
//	internal/charset  which encoding is it in?
package crawler
