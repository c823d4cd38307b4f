// Package frontier decides which URL to visit next, and when. It knows hosts,
// priorities and clocks. It never opens a socket, never looks inside a page, and
// has no opinion on when two URLs are the same: it compares bytes.
//
// [New] makes a frontier in memory, [Open] one that survives its process in a
// folder. Both keep the contract that is written at [Frontier] and, as tests, in
// package frontiertest. A worker leases a request with Next, visits it, and ends
// the lease with Done, which brings along the links it found:
//
//	for {
//		l, err := f.Next(ctx)
//		if errors.Is(err, frontier.ErrDrained) {
//			return nil
//		}
//		...
//		err = f.Done(ctx, l, frontier.Outcome{Found: links})
//	}
//
// Where to look:
//
//	frontier.go     what is a request, an outcome; what may be relied on
//	meta.go         values that travel with a URL
//	capability.go   what only some frontiers can do, and how it is found
//	limits.go       budgets and outages, and which limits there are when none are set
//	clock.go        what time it is, whatever the machine's clock is set to
//	errors.go       what can go wrong
//	memory.go       the frontier in memory
//	disk.go         the frontier in a folder: opening and closing it
//	front.go        what both have in common: adding, leasing, ending
//	waiters.go      who waits in Next, and what wakes them
//	control.go      what is told of hosts from outside: orders by hand, addresses
//	leases.go       tokens of leases, and leases that end by themselves
//	stats.go        what is counted, also for other processes
//	look.go         what is known of a host, and what a URL waits for
//	explain.go      what is known of a URL, and of its latest visit
//	iterate.go      all hosts, and all that waits of one
//	watch.go        looking at all that waits of a host without holding up others
//	rescore.go      other priorities for requests that wait
//	spill.go        putting requests into runs that have no room in memory
//	merge.go        making one run out of many
//	ahead.go        bringing requests back before they are needed
//	address.go      which requests are taken
//	priority.go     breadth first, depth first, at random
//	export.go       a copy of a frontier on disk for another place, and opening it there
//	compact.go      how the files are kept small while the frontier goes on
//
// Below it are internal/sched (what comes next: hosts, groups, clocks and queues),
// internal/store (what waits on disk), internal/wal (what is written down of decisions,
// and read back), internal/request (a request as it is kept and written), internal/slab
// (values by number), internal/heap (queues) and internal/seen (all URLs that were ever
// added).
package frontier
