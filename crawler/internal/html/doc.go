// Package html reads what a page of HTML, or a plain text, says: title, visible text,
// links, directives. It reads most pages as their tags come, and builds a tree where that
// would come out in another order.
//
//	page.go     what is read, from what, and how
//	type.go     is a body HTML, plain text, or something else?
//	read.go     what becomes of each element and text, by tags or by the tree
//	facts.go    what a page says of itself: title, description, language
//	links.go    links, and where they lead
//	extra.go    links that only some want, and the words around links
//	header.go   what the HTTP header says of a page
//	layout.go   how an element stands in the text around it
//	style.go    what a style attribute hides
//	text.go     white space, and texts of bounded length
//	plain.go    plain text
//	stream.go   a page by its tags
//	nesting.go  which elements a tag closes
//	table.go    tags in tables
//	foreign.go  SVG, MathML and templates
//	flat.go     a tree of pages that x/net/html refuses
package html
