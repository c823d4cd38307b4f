// Package heap has two priority queues of numbers: a binary heap whose keys stand in its
// entries, and a pairing heap whose links stand in what the numbers stand for.
//
//	heap.go  binary heaps
//	tree.go  pairing heaps
package heap
