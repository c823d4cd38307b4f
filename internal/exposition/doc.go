// Package exposition writes metrics in the text format of Prometheus as its tools want
// it: the samples of a family together, behind what the family means (HELP) and of which
// kind it is (TYPE), and beside them those of the process and of the disks it writes to.
//
// Where to look:
//
//	families.go  what does each metric mean?
//	write.go     how is the text made?
//	disk*.go     how much room is left?
package exposition
