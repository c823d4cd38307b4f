// Package wal is the write-ahead log of a frontier on disk: what a schedule decides is written
// down in the same order, many steps at a time, and read back when the folder is opened. Now and
// then a snapshot of what is in memory takes the place of the logs that led to it. Formats are
// described in entries.go and in docs/formats/frontier-state.md.
//
//	journal.go      how decisions get to the disk, many at a time
//	entries.go      what is written, byte by byte
//	ordered.go      what was ordered of a host by hand: written, and read back
//	snapshot.go     what is in memory, as it was at a moment, and how it is written
//	files.go        which files are in the folder
//	copy.go         where the records go besides, and how a log goes on from a copy
//	replayfiles.go  reading files back, and going on in the last
//	replay.go       the entries that are read back
//	replaybatch.go  many requests at a time
//	replaylanes.go  requests that are not in memory
package wal
