// Package column keeps one value, or some, for each document of a segment, in
// the order of the documents: what a search sorts by, counts, and compares
// with. It knows nothing of what a value means.
//
// Where to look:
//
//	format.go    the bytes
//	encode.go    a block of numbers
//	numbers.go   writing a column of numbers
//	reader.go    reading one; cursor.go: value after value, block after block
//	keywords.go  writing and reading a column of strings
//	verify.go    whether all of it is sound
package column

// BlockLen is how many numbers a block holds; the last may hold fewer.
const BlockLen = 1024

// A list of numbers, each an int64 or missing, lies in two sections, blocks and
// table. The table is
//
//	count    [4]   numbers, missing ones too
//	         for each 1024 of them:
//	min      [8]   the least number of the block; 0 when all are missing
//	max      [8]   the greatest
//	step     [8]   what all differences to min are multiples of, from 1
//	offset   [8]   of the block in its section
//	present  [2]   numbers that are not missing
//	width    [1]   w, 0..56 or 64
//	zero     [1]
//
// and a block of n numbers is
//
//	bits     [(n+7)/8]    only when some, not all, are missing: bit i%8 of byte
//	                      i/8 is 1 when number i is there
//	low      [(n·w+7)/8]  (number-min)/step in w bits each, the first in the
//	                      lowest bits of the first byte; of missing ones 0
//
// The numbers 100, missing, 160, 130 are the table 04000000 | 64000000 00000000 |
// a0000000 00000000 | 1e000000 00000000 | 00000000 00000000 | 0300 02 00 and the
// block 0d 60: there are 0, 2 and 3, and their two bits are 0, 2 and 1.
const (
	tableHead = 4
	entrySize = 36
)

// The kinds of sections of a column. A column of numbers has the first two. One
// of strings also has a dictionary (package front, no values): its numbers are
// places in it. Where a document has more than one string, the numbers are
// those of the first document, ascending, then those of the second, and so on,
// and a list of starts says where those of each document begin; it has one
// number more than there are documents.
const (
	SectionBlocks      = 20
	SectionTable       = 21
	SectionDict        = 22
	SectionDictIndex   = 23
	SectionStarts      = 24
	SectionStartsTable = 25
)
