// Package warc is in progress.
package warc
