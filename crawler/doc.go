// Package crawler fetches pages, reads them and follows their links, in the
// order and at the pace that a frontier.Frontier allows.
package crawler
