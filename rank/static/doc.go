// Package static describes URLs and pages in numbers, whatever the query, and makes scores of these: how good a page
// seems, how likely its URL is worth a visit before anybody has seen the page, how safe it is to show at work. The
// models are those of rank/linear: two small ones are there, others are learnt from pages that somebody has labelled.
//
// The score of a page belongs into a column of the index, from where index.Static adds it to the score of every match; the
// score of a URL into the priority of a request of a crawler.
//
// Where to look:
//
//	url.go     features of a URL
//	page.go    features of a page
//	english.go how much a text looks like English
//	model.go   scores of URLs and pages; the models that are there
//	safe.go    is it safe for work?
//	tiers.go   good pages first, the others if these are too few
package static
