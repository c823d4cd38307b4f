// Package front stores ascending strings so that they take little room, and
// finds them by text, by place and by prefix. Each string may carry a value.
//
// Where to look:
//
//	format.go   the bytes
//	writer.go   writing them
//	table.go    finding a string or a place
//	iter.go     walking from a string on
//	merge.go    walking several tables as one
package front

// BlockLen is how many strings a block holds; the last may hold fewer.
const BlockLen = 16

// Strings lie in two sections, blocks and index. A block is
//
//	size     [varint]  bytes of texts
//	texts    [size]    first string: length [varint], bytes
//	                   others: bytes shared with the one before [varint],
//	                           length of the rest [varint], rest
//	values   the values of the block, as the caller wrote them
//
// The index is
//
//	count    [4]       strings
//	blocks   [4]       blocks: count/16, rounded up
//	offset   [8×blocks]  of each block in its section
//	end      [4×blocks]  of each key in keys
//	keys     a key for each block: the shortest string that is greater than all
//	         strings of the block before and not greater than the first of its own
//
// "car", "card" without values are the block 07 | 03 63 61 72 | 03 01 64 and the
// index 02000000 01000000 | 0000000000000000 | 00000000: the first key is empty.
const indexHead = 8
