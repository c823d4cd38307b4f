// Package urlnorm says what "the same URL" means. It turns the spellings that
// links come in into one canonical URL, so that the rest of the house can
// compare URLs byte for byte.
//
// It reads URLs as browsers do (the WHATWG URL standard) and then applies a
// [Profile]: fragments go, escapes get one spelling, session ids and tracking
// parameters are dropped. What a server may tell apart is never merged: %2F
// and /, // and /, + and %20, upper and lower case of a path, a slash at the
// end or none. It opens no connection and knows nothing of what is behind a
// URL; rel=canonical, redirects and duplicates are for others to weigh.
//
// Where to look:
//
//	url.go      what is the canonical form of this link?
//	profile.go  which steps are taken, and how are they turned off?
//	parse.go    how is a reference resolved against its base?
//	fast.go     how are plain URLs read without the full parser?
//	rewrite.go  how are paths and queries rewritten?
//	session.go  what counts as a session id, what as tracking?
//	charset.go  how does the encoding of a page shape a query?
//	host.go     which host, origin and site does a URL belong to?
//	surt.go     under which key does a web archive file it?
package urlnorm
