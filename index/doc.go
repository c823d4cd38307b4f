// Package index keeps documents on disk and answers queries over them.
package index
