// Package when reads the dates that sitemaps, feeds, robots directives, HTTP
// headers and pages hold: those of ISO 8601, those of mail, and what people and
// programs make of them, with the names of months in some twenty languages. It
// does not guess which of 06/05 is the month.
//
//	when.go   what is a date, and where in a text is one?
//	clock.go  what time of day stands beside it, and in which zone?
//	words.go  the names of months and zones
package when
