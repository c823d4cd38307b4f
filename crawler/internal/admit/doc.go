// Package admit says how much of a run may go on at a time, and how much in all.
//
//	quota.go     pages and bytes of a run, met exactly
//	place.go     requests under way
//	patience.go  workers that wait for slow hosts
//	weight.go    memory of large pages
package admit
