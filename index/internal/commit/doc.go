// Package commit is what an index holds on disk at one time: the manifest that names the
// files of a commit, and these files, open for reading and shared by all who use them.
//
// Where to look:
//
//	manifest.go   what a commit is, byte by byte; scorer.go: the scorer that is kept with it
//	commit.go     opening the newest commit, sharing what the one before has open
//	view.go       a segment without its deleted documents; overlay.go: the columns and
//	              anchors that were set since it was written; sets.go: values to set
//	live.go       how many live documents have a term; languages.go: which languages they
//	              are in
//	filters.go    matches of filters that are remembered with a view
package commit
