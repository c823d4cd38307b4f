// Package content reads what is not HTML: PDF, XML, JSON, feeds and sitemaps.
// [ByType] is the Parser of a crawl that meets all of them, and chooses by the
// bytes first and the declared type second. The other types here are Parsers
// for one kind each, to be used alone or put in the place of another.
//
// All give pages with text, title, language and links, and read hostile input in
// bounded time and memory.
//
// Where to look:
//
//	bytype.go   which Parser reads what?
//	sniff.go    what is in a body?
//	document.go how does text become a page?
//	unicode.go  in which encoding is XML and JSON?
//	feed.go     RSS, Atom and JSON feeds
//	salvage.go  feeds that are malformed or break off
//	sitemap.go  sitemaps: pages that are only links
//	follow.go   which of these links are followed, and in which order?
//	schedule.go when do they say that pages change?
//	text.go     text that is read as it is written
//	xml.go      XML that is nothing else
//	json.go     JSON
//	pdf.go      PDF: the document
//	pdfguard.go PDF: what is refused, and how long it may take
//	pdftext.go  PDF: the text of a page
//	pdfcontent.go  PDF: which instructions draw it?
//	pdffont.go  PDF: which characters are these?
package content
