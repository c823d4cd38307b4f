// Package frontier decides which URL to visit next, and when. It knows hosts,
// priorities and clocks. It never opens a socket and never looks inside a page.
package frontier
