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
//	trail.go    which cookies go along with redirects?
//	note.go     what does the loop keep with a request?
//	changed.go  has a page changed since it was put?
//	result.go   what is a Sink told of a page: new, changed, same, gone, moved?
//	insist.go   what if the Frontier, or a handler, does not answer?
//	nothing.go  what if no seed can be had?
//	claim.go    what if the URL that a page goes by is dead?
//	quota.go    how are the budgets met exactly?
//	place.go    how many requests are under way at a time?
//	patience.go who waits for hosts that are slow?
//	weight.go   how is the memory of large pages bounded?
//	event.go    how is a run watched and counted?
//	pages.go    how does the iterator hand pages over?
//	explain.go  what does a run make of a URL?
//	live/       what is a run at, and how is it paused?
//	collect/    links first, pages later
//	errors.go   what can go wrong with a page?
//	retry.go    what is tried again, and when?
//	follow.go   which links are worth it?
//
// Fetching by HTTP:
//
//	http.go      what can be set, and what is sent?
//	settings.go  which settings are refused?
//	exchange.go  one request and its answer
//	ask.go       method, header and body of a request, and after redirects
//	transport.go who else is to see the exchanges?
//	redirect.go  hops, cookies on the way, credentials
//	cookie.go    what does a Set-Cookie mean?
//	network.go   TLS, certificates, pools of connections
//	dns.go       how long are addresses of names kept?
//	dial.go      which addresses are refused, which is tried first?
//	lenient.go   which headers are read though they are not HTTP?
//	proxy.go     which proxy is next, and whose fault is it behind one?
//	watch.go     how long may it take?
//	decode.go    content codings and bombs
//	pieces.go    bodies of unknown length
//	classify.go  which kind of error was that?
//
// Reading pages:
//
//	html.go           HTML, the Parser: what can be set, and what it promises
//	internal/html     what does a page say: title, text, links, directives
//	internal/charset  which encoding is it in?
package crawler
