// Package slab keeps many small values by number instead of by pointer: in a [Slab], in a
// [Table] that finds them by a fingerprint, and texts in an [Arena]. What is kept so costs
// the garbage collector nothing, and a snapshot of it shares its pages until they change.
// Nothing here locks.
//
//	slab.go   numbered values
//	table.go  numbered values that are found by a fingerprint
//	arena.go  texts of changing owners
package slab
