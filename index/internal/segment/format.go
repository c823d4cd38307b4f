// Package segment writes, reads and merges segments: files that hold documents
// and never change.
//
// Where to look:
//
//	format.go    which sections a segment has
//	record.go    what is stored of a document
//	order.go     how documents are numbered
//	lengths.go   how long a field is in each document
//	writer.go    writing a segment
//	reader.go    reading one
//	columns.go   the columns of one; vectors.go: its vectors
//	fields.go    files of fields alone
//	merge.go     many segments into one; merge_order.go: in which order
//	verify.go    whether all of it is sound
//	salvage.go   what can be read of one that is not
//
// A segment is a file of sections (package pagefile). Documents are numbered
// from 0, as a rule in ascending order of their keys: a key is found by its text,
// keys and records of one site lie together, and of two documents with equal scores
// the one with the smaller number comes first. Else see [Order].
package segment

import (
	"math"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/vector"
)

// Kinds of sections. Those of a field carry its number in the schema; fields
// that no document of the segment has are absent.
const (
	sectionMeta       = 1  // what the segment holds, a JSON object, see Meta
	sectionKeys       = 2  // keys of the documents (package front), no values
	sectionKeyIndex   = 3  //
	sectionSmall      = 4  // records, small values (package stored), see record.go
	sectionSmallIndex = 5  //
	sectionLarge      = 6  // records, large values
	sectionLargeIndex = 7  //
	sectionTerms      = 8  // of a field: its dictionary (package postings)
	sectionTermIndex  = 9  //
	sectionLists      = 10 // of a field: documents of its terms (package postings)
	sectionPositions  = 11 // of a text field: where they stand
	sectionLengths    = 12 // of a field: see lengths.go
	sectionNumbers    = 13 // the document of each key, see order.go; absent: keys and documents are in one order
	// 20 to 25 are the columns of fields, see package column, 30 to 35 their vectors, see
	// package vector.
)

// kinds says what a section holds.
var kinds = map[uint16]string{
	sectionMeta: "meta",
	sectionKeys: "keys", sectionKeyIndex: "keys", sectionNumbers: "keys",
	sectionSmall: "records", sectionSmallIndex: "records",
	sectionLarge: "records", sectionLargeIndex: "records",
	sectionTerms: "terms", sectionTermIndex: "terms",
	sectionLists: "lists", sectionPositions: "positions", sectionLengths: "lengths",
	column.SectionBlocks: "column", column.SectionTable: "column",
	column.SectionDict: "column", column.SectionDictIndex: "column",
	column.SectionStarts: "column", column.SectionStartsTable: "column",
	vector.SectionHead: "vectors", vector.SectionDocs: "vectors", vector.SectionFloats: "vectors",
	vector.SectionCodes: "vectors", vector.SectionLinks: "vectors", vector.SectionUpper: "vectors",
}

// Bytes of a block of records before compression.
const (
	smallBlock = 16 << 10
	largeBlock = 64 << 10
)

// NoDoc stands for a document that is not there.
const NoDoc = math.MaxUint32

// MaxDocs is how many documents a segment can hold.
const MaxDocs = math.MaxInt32

// MaxField is the greatest number of a field.
const MaxField = math.MaxUint16

// Meta is what a segment says of itself.
type Meta struct {
	Docs   uint32  `json:"docs"`
	Fields []Field `json:"fields"`
	Order  string  `json:"order,omitempty"` // "host", "given" or "column" and a field; none: by key
}

// Field is an indexed field of a segment.
type Field struct {
	Number    int    `json:"number"` // in the schema
	Name      string `json:"name"`
	Positions bool   `json:"positions,omitempty"`
	Terms     int    `json:"terms"`  // different ones
	Tokens    uint64 `json:"tokens"` // sum of the lengths
}
