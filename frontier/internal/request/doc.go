// Package request holds a request in the plain form in which a frontier keeps it, and says
// how it is written, where it stands among others, and what is told by its URL.
//
//	request.go   a request, and how it is written
//	stored.go    a request whose texts are bytes, as it is read from a run, and how it is written there
//	rank.go      the two queues of a host, and where a request stands in them
//	host.go      the host and the domain of a URL, and fingerprints
//	metatext.go  what the values of a request are written with, and the bounds of what it has
package request
