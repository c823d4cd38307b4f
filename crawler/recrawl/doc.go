// Package recrawl visits pages again when they are likely to have changed. It
// puts frontier/refresh to work in a crawl: a [Policy] is its Revisit, and keeps
// what it learned of each page in the Meta of the page's request, so that a
// crawl over a frontier on disk goes on after a restart with all it knew.
//
// It judges by the bytes of a body, or by what a program says is worth
// comparing; it estimates nothing itself.
package recrawl
