// Package live shows what a run of a crawler is at, and pauses it. It keeps no
// history and shows nothing by itself: crawler/monitor does.
//
// A [Control] reaches a run by the context, as the hooks of net/http/httptrace
// reach a request:
//
//	control := new(live.Control)
//	go c.Run(live.With(ctx, control), seeds...)
//	...
//	control.Pause()
//
// Without one the loop keeps no account of its workers, and with one it takes
// a lock that nobody else holds and the time of day at each phase, some 100 ns.
//
// A program that crawls, or serves, for long runs in [Main]: SIGTERM is a good end, and
// nothing is written past its log.
//
// Where to look:
//
//	control.go  how is a run paused, and what does it tell?
//	worker.go   which phases are there, and how does the loop tell them?
//	program.go  how does a program end at a signal, and where does it log?
package live
