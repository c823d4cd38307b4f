// Package frontiertest is the contract of [frontier.Frontier] as tests: what
// every frontier must pass, however it is made. A test calls [Test] with a
// function that opens an empty frontier, [TestOptions] with one that does so with
// options, and [Random] to compare it with a slow and obvious model over random
// operations. Time is faked by testing/synctest,
// so all of it takes moments.
//
// It is not a test of how fast a frontier is, nor of what is on its disk.
//
// Where to look:
//
//	test.go     how the tests are run
//	pace.go     gaps, limits, rests: when a host may be visited
//	order.go    priorities and fairness: which request comes first
//	options.go  shares of hosts, leases that expire
//	wait.go     waiting, waking, cancelling, the end of a run
//	rescore.go  other priorities for what waits
//	input.go    what is added: duplicates, depths, bad URLs; what is kept
//	inspect.go  what is said of hosts and URLs, and addresses told in time; optional
//	model.go    a frontier that walks over everything at each question
//	random.go   random operations against the model
//	script.go   scenarios written in text files
package frontiertest
