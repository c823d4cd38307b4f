// Package when reads the dates that sitemaps, feeds and robots directives hold:
// those of ISO 8601 as W3C profiles it, those of mail and HTTP headers, and what
// people make of them. It knows no dates that only a reader of the language can
// tell, and does not guess which of 06/05 is the month.
//
//	when.go  what is a date, and which zone is it in?
package when
