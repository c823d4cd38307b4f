// Package durable puts bytes on disk so that they are still there after a
// crash: files that are replaced in one step, logs of checksummed records, and
// a lock that keeps a second process out. All names stay inside one folder.
//
// It is not a database and knows nothing about what the bytes mean; frontier
// and index translate its errors into their own.
//
// Where to look:
//
//	dir.go      a folder and what can be done in it; how a file is replaced
//	lookup_unix.go, lookup_other.go: whether there is a file of a name
//	file.go     a file that is written, synced and closed
//	hook.go     how a test makes an operation fail
//	frame.go    how a record looks in a log, byte by byte
//	scan.go     what is read back after a crash, and what counts as damage
//	log.go      appending to a log, sharing an fsync
//	lock.go     who holds the folder
//	errors.go   what went wrong, and where
package durable
