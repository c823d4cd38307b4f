// Package store holds what waits of a frontier and has no room in memory: in runs, which are
// files in the order of hosts and ranks, from which the best is brought back. All but the
// reading of runs belongs to the lock of the schedule that it is the source of. Shelving and
// merging, which let others go on meanwhile, are the business of package frontier.
//
//	store.go     bringing requests to memory; which runs become one
//	pick.go      which of them come next, and from which runs
//	ahead.go     hosts of which more will be needed
//	run.go       a run that is read, and what is where in its file
//	runwrite.go  a run that is written
//	filter.go    which hosts are not in a run
package store
