// Package cluster is a [frontier.Frontier] that many machines share, on the streams, buckets and
// objects of a NATS server with JetStream. It has no consensus, replication or membership of its own.
//
// URLs are parted by registrable domain into [Options].Partitions partitions. Each is owned by
// one [Node] at a time, which keeps it in a [frontier.Disk]: politeness of a host is kept by one
// machine, as if there were no other. All that the Disk writes down goes to a stream before the
// method that caused it returns, and now and then an export of it to an object, so that any
// other node goes on with the partition as a Disk does after a crash: what was leased is
// offered again, nothing else is visited twice, nothing is lost, and clocks are kept. The stream
// takes what an owner writes only behind what it wrote last: a node that has lost a partition
// without knowing it, as it was paused or cut off, is refused.
//
//	n, err := cluster.Open(ctx, cluster.Options{URL: "nats://127.0.0.1:4222", Dir: dir})
//	...
//	c := &crawler.Crawler{Frontier: n, ...} // on each machine
//
// A node visits hosts of the partitions that it owns. Partitions are shared out again when nodes
// come and go; a node that has died is missed after [Options].LeaseFor. Limits of addresses and of
// all visits together are those of each partition by itself.
//
// Where to look:
//
//	options.go    settings, and what can be wrong with them
//	node.go       opening and closing; who owns what
//	partition.go  a partition that is owned: taking it over, its log, its exports
//	visit.go      leasing and ending visits, and when all is drained
//	call.go       asking the owner of a partition
//	wire.go       what is sent
//	errors.go     what can go wrong
package cluster
