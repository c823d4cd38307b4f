// Package refresh decides when to visit a page again. It estimates how often a
// page changes from what its visits found, knows how fresh copies are then, and
// shares a budget of visits among pages by a [Policy]. It never fetches a page,
// compares two versions of one, or queues anything: it is arithmetic, and what
// it remembers of a page, a [History], is for the caller to keep.
//
// Most programs need a [Scheduler] only, and call its Visit method after each
// visit. Who knows all pages and rates beforehand can use [Allocate]; who has
// pages to discover as well, a [Split].
//
// All is built on the model that changes come independently of each other at a
// rate of a page's own (a Poisson process), after J. Cho and H. Garcia-Molina,
// which fits pages well over weeks. Rates are in changes a second.
//
// Where to look:
//
//	how often does a page change?              estimate.go
//	... if visits were not regular?            likelihood.go
//	what is remembered of a page?              history.go
//	... and how is it stored?                  historycode.go
//	how fresh is a copy, how old?              fresh.go
//	which pages deserve how many visits?       policy.go
//	... why those, and how is it computed?     gain.go
//	how is a budget shared among known pages?  allocate.go
//	when is this page to be visited again?     scheduler.go
//	... such that the budget is met?           price.go
//	is it time to discover or to refresh?      split.go
package refresh
