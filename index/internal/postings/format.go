// Package postings stores, for each term of a field, the documents that hold
// it, how often, and where. It knows nothing of what the terms are.
//
// Where to look:
//
//	format.go     the bytes
//	dict.go       the terms of a field
//	impact.go     bounds on what a block can score
//	writer.go     writing the lists of a field
//	dense.go      documents that stand close together, as bits
//	skips.go      writing where the blocks of a list are
//	cursor.go     walking a list, skipping what is not wanted
//	table.go      finding the block of a document
//	positions.go  reading where a term stands
package postings

import "github.com/webquarry/quarry/index/internal/packed"

// The list of a term with n documents, in ascending order, is
//
//	blocks   n/128 blocks of 128 documents
//	tail     the other n%128 documents
//	supers   only with more than 32 blocks: an entry of 28 bytes for each 32 blocks, the last may stand for fewer
//	skips    an entry of 18 bytes for each block
//	impacts  [8]  of the tail, only with blocks and a tail
//
// A block is two packed blocks (see package packed): the gaps, each document
// minus the one before it minus 1, where -1 stands before the first; and the
// tfs, how often the document holds the term, minus 1. Bits may stand for the
// gaps, see dense.go.
//
// The tail has for each document gap<<1 [varint] when its tf is 1, else
// gap<<1|1 [varint] and tf-2 [varint].
//
// A skip entry is
//
//	last     [4]   last document of the block
//	end      [2]   where the block ends, from the start of its 32 blocks
//	posEnd   [4]   where its positions end, likewise
//	impacts  [8]   four pairs, see impact.go
//
// and an entry of supers
//
//	last     [4]   last document of the 32 blocks
//	start    [8]   where they start in the list
//	posStart [8]   where their positions start
//	impacts  [8]   of all of them
//
// A list of one document is not stored; the dictionary holds it (see Entry).
//
// The positions of a term are a row of numbers for each block, then one for the
// tail: the occurrences in its documents, each position minus the one before it
// in the same document, the first as it is. A row is packed blocks of 128, then
// what remains as varints. A list of one document has one row.
//
// Documents 3, 5, 9 with tf 1, 2, 1 and positions 7; 0, 2; 300 are the list
// 06 03 00 06 (gaps 3, 1, 3) and the positions 07 00 02 ac 02.
const (
	blockLen  = BlockLen
	groupLen  = GroupLen
	skipSize  = 18
	superSize = 28
)

// BlockLen is how many documents a block has, and the most of a tail.
const BlockLen = packed.Len

// GroupLen is how many blocks share an entry of supers.
const GroupLen = 32

// Entry says where the list of a term is. In the values of the dictionary's
// block (see package front) there are first, once, the offsets of the block's
// first list and, in fields that have positions, of its positions [varint each],
// then for each term
//
//	n        [varint]  documents
//	doc      [varint]  } of a single document,
//	tf       [varint]  } instead of a list
//	size     [varint]  bytes of the list, of more documents than one
//	posSize  [varint]  bytes of the positions, in fields that have them
type Entry struct {
	Docs            uint32 // documents that hold the term
	Doc, TF         uint32 // the document, if it is one
	Off, Size       uint64
	PosOff, PosSize uint64
}

// End is the document after the last: no list holds it.
const End = 1<<32 - 1
