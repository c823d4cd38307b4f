// Package cloaking finds hosts that show a crawler other pages than they show
// people. It compares a few pages of each host with what a second user agent is
// shown, judges by the text alone, and tells such a host from one whose pages
// are never twice the same. It decides nothing beyond how much more is visited
// of a host that cloaks.
//
// A [Check] wraps the Parser and the Fetcher of a Crawler. It is not on by
// itself: every comparison is a visit more, and one that does not say who it is
// from.
//
// Where to look:
//
//	check.go    what can be set, and how is it put into a Crawler?
//	compare.go  which pages are visited again, and when are two unlike?
//	verdict.go  what is said of a host, and why?
package cloaking
