// Package chrome fetches pages with a headless Chrome, for sites whose pages are
// made by scripts. [Fetcher] takes the place of a [crawler.HTTP], or stands
// behind it for the pages that need it, with the same requests and responses.
//
// Chrome itself never speaks to a server. Every request that a page makes goes
// to a proxy in this process, which asks a Fetcher for it: so addresses that are
// not public are refused, bodies are capped, credentials and cookies are those
// of the crawl, and whatever lies around that Fetcher, an archive, a cache, a
// pace, sees the pages and all they load. What Chrome adds is the document as it
// stands when the scripts have done their work.
//
// It decides no politeness, follows no link and knows no selector: chains of
// actions are in crawler/chrome/action.
//
// Where to look:
//
//	fetcher.go   what can be set, and what becomes of a request?
//	find.go      where is the browser?
//	browser.go   how does a browser live and die?
//	process_*.go how is all of it killed?
//	profile.go   where are its files, and who removes those of the dead?
//	flags.go     what is Chrome told at its start?
//	pool.go      who gets a tab, and which?
//	retire.go    when is a browser replaced?
//	tab.go       how is a tab made, and what does it tell?
//	frames.go    which pages are drawn?
//	cookies.go   what of a host outlives its tab?
//	visit.go     one page, from its URL to its document
//	settle.js    when is a page done?
//	chain.go     what is done on a page before it is read?
//	snapshot.go  how is a document read?
//	shadow.go    where does what is in shadow roots go?
//	load.go      how far is a page, and where may it lead?
//	credentials.go  which requests of a page know the visitor?
//	request.go   what does a page ask for while it is loaded?
//	allow.go     what may it load?
//	empty.go     what is given in place of what it may not load?
//	proxy.go     how do requests of Chrome come here?
//	mitm.go      how are those to https read?
//	errors.go    what can go wrong?
package chrome
