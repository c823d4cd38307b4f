// Package sitemap reads the lists in which sites name their pages: sitemaps and
// their indexes (https://www.sitemaps.org/protocol.html), plain, as text or
// packed by gzip, and RSS, Atom and JSON feeds. It reads streams, keeps nothing
// and takes what can be had of files that are broken. It fetches nothing: a
// crawl does that as it fetches pages, see package
// [github.com/webquarry/quarry/crawler/content].
//
// Where to look:
//
//	entry.go   what is said of a page, and when is it worth a visit?
//	reader.go  what can be set, and which entries are kept?
//	sniff.go   is this a sitemap at all, and which kind?
//	open.go    packing, encodings, limits
//	xml.go     sitemaps and feeds in XML
//	fields.go  which element says what?
//	text.go    entities, and lists in plain text
//	json.go    JSON feeds
//	mark.go    what a request for a sitemap carries along
//	errors.go  what can go wrong
package sitemap
