// Package sched decides which request is leased next. What it does depends on its calls and
// the times that they bring along, and on nothing else: it has no lock, reads no clock and
// knows no file. What is not in memory it gets from a source that it is given.
//
//	schedule.go  adding, leasing and ending, and what time brings
//	settle.go    where a host belongs at a moment
//	hosts.go     what is known of a host, and its queues
//	groups.go    hosts that share a limit: those of a domain, those at an address
//	orders.go    what heaps and trees are sorted by
//	urls.go      the requests in memory
//	lane.go      what is known of requests that are not in memory
//	outlier.go   requests that are brought from there out of their turn; other priorities
//	record.go    what visits tell of a host: how slow it is, and its troubles
//	outage.go    hosts that cannot be reached
//	budget.go    hosts that are dropped
//	held.go      hosts that are parked, blocked and dropped by hand
//	share.go     hosts that have their share of the visits
//	lease.go     leases that end without a word
//	limits.go    the limits of all that
//	exempt.go    domains and addresses that are exempt from them
//	rates.go     how much happens in a second
//	inspect.go   what those who look ask for
//	arrivals.go  what comes to memory while they look
package sched
