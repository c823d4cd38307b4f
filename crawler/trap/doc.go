// Package trap keeps a crawl out of what has no end: calendars, session ids,
// filters that combine without limit, paths that repeat themselves, pages of
// spam that link to each other. It watches pages, not sites known by name, and
// it refuses only where several things speak for a trap; a host goes on outside
// of it.
//
// A [Guard] wraps the Follow, Parser and Fetcher of a Crawler ([Guard.Install]). It
// folds URLs into patterns, in which numbers and ids are placeholders, and keeps a
// budget for each, which grows with pages that bring something new and shrinks
// with those that do not. [Guard.Explain] tells why a URL was refused.
//
// Where to look:
//
//	guard.go    what can be set, and how is it put into a Crawler?
//	shape.go    which pattern does a URL belong to?
//	words.go    what is told of URLs that have none?
//	watch.go    what does a page say for or against its pattern?
//	judge.go    when is that enough?
//	budget.go   what is known of a pattern, of a host?
//	links.go    what is known of the links that were seen?
//	hosts.go    which hosts are taken for one?
//	sites.go    when has a domain hosts without end?
//	nested.go   which queries hold themselves?
//	params.go   which parameters make no difference?
//	farm.go     which hosts are of a link farm?
//	verdict.go  what is said of a URL, and why?
//	state.go    what survives a restart?
package trap
