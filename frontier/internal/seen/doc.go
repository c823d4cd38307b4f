// Package seen is the set of all URLs that were ever added to a frontier, as
// fingerprints of 64 bits: what was added a moment ago in a table in memory, the
// rest in sorted files, each with a small filter in memory that spares most reads
// of it. A hundred million URLs take some 250 MB of memory and 0.8 GB of disk.
//
// It forgets nothing and knows nothing but "seen" or not. It is not durable by
// itself: its owner has a journal, calls [Set.Freeze] where a part of the journal
// ends and [Set.Commit] before that part is thrown away. After a crash the set is
// what it was at the last Freeze that was committed, no more and no less, and the
// owner adds again what the journal says was added since:
//
//	s, err := seen.Open(dir, seen.Options{})
//	for fps := range journalSince(s.Mark()) {
//		s.Add(ctx, fps, isNew) // says what it said the first time
//	}
//	...
//	s.Freeze(7)      // under the owner's lock: what comes now belongs to part 7
//	s.Commit(ctx)    // without it: part 6 is in the files
//	remove(journal6)
//
// Two URLs that share a fingerprint are taken for one, and the later one is never
// visited. Among n URLs the expected number of such pairs is n²/2^65, and the
// chance that a new URL is taken for an old one n/2^64:
//
//	   n   pairs    a new one
//	 1e8   0.00027  5.4e-12
//	 1e9   0.027    5.4e-11
//	1e10   2.7      5.4e-10
//
// That holds for fingerprints that nobody can steer, as those of a hash with a
// secret seed. A false positive of a filter costs a read and is never an answer.
//
// Where to look:
//
//	seen.go      opening, closing, counting
//	add.go       adding and asking, many at a time
//	lately.go    what was found last
//	table.go     what was added last: a table that is always sorted
//	freeze.go    how a table becomes a file; what a crash takes back
//	merge.go     which files become one, and when
//	disjoint.go  reading sorted files as one
//	run.go       a sorted file that is open, and how a key is found in it
//	write.go     how a sorted file is written
//	block.go     how keys are packed
//	filter.go    how most reads are spared
//	format.go    the files byte by byte
package seen
