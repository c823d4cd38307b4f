// Package extract makes records of pages: typed values by a schema of CSS
// selectors, XPath and regular expressions, what a page says about itself in
// JSON-LD, microdata, RDFa and OpenGraph, and the main text with author and
// dates. It fetches nothing, and does not judge what it finds.
//
//	shop, err := extract.Into[Product](nil) // a schema in the tags of Product
//	...
//	products, err := shop.Records(doc, url)
//
// All of it works on a goquery document, whether that comes from a file, from
// [Document], from the Refine of crawler.HTML or from a browser. What is wrong
// with a page is an error beside the records that could be read.
//
// Where to look:
//
//	schema.go   what can be said of records and fields?
//	yaml.go     a schema in YAML, and its JSON Schema
//	tags.go     a schema in struct tags
//	compile.go  which schemas are refused?
//	record.go   how are the records of a page made, and put on a Page?
//	typed.go    records as values of a struct
//	find.go     what does a rule find?
//	xpath.go    XPath, and the library's panics
//	xpathsteps.go  how long may an expression take?
//	value.go    how is a text read as a type?
//	number.go   numbers
//	price.go    prices and currencies
//	times.go    times and dates
//	text.go     the text of an element
//	errors.go   what goes wrong with a field
//
// What a page says about itself:
//
//	item.go       things and their properties
//	jsonld.go     JSON-LD
//	forgive.go    JSON as people write it
//	markup.go     microdata and RDFa Lite
//	meta.go       OpenGraph and Twitter cards
//	article.go    title, authors, section, site
//	maintext.go   the main text
//	published.go  when was it published and changed?
package extract
