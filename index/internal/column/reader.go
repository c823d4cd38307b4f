package column

import (
	"encoding/binary"
	"math"

	"github.com/webquarry/quarry/index/internal/front"
	"github.com/webquarry/quarry/index/internal/pagefile"
)

// Column is a column that is read. It may be used from many goroutines.
type Column struct {
	Docs    uint32
	Dict    *front.Table // of a column of strings, else nil
	numbers *list        // by document, or with starts by place
	starts  *list        // nil: a document has at most one value
}

// File finds sections.
type File interface {
	Section(kind, field uint16) (pagefile.Section, bool)
}

// Open opens the column of a field; nil when the file has none. Damage is
// reported here, or when what is damaged is read.
func Open(f File, field uint16, docs uint32) (*Column, error) {
	table, ok := f.Section(SectionTable, field)
	if !ok {
		return nil, nil
	}
	section := func(kind uint16) pagefile.Section {
		s, _ := f.Section(kind, field) // one that is absent is empty: the first read reports it
		return s
	}
	c := &Column{Docs: docs}
	var err error
	if c.numbers, err = openList(section(SectionBlocks), table); err != nil {
		return nil, err
	}
	if index, ok := f.Section(SectionDictIndex, field); ok {
		if c.Dict, err = front.Open(section(SectionDict), index); err != nil {
			return nil, err
		}
	}
	each := c.numbers
	if starts, ok := f.Section(SectionStartsTable, field); ok {
		if c.starts, err = openList(section(SectionStarts), starts); err != nil {
			return nil, err
		}
		each = c.starts
		docs++
	}
	if each.count != docs {
		return nil, table.Damage(0, "a column of another number of documents")
	}
	return c, nil
}

// Single reports whether a document has at most one value.
func (c *Column) Single() bool { return c.starts == nil }

// list is a list of numbers.
type list struct {
	blocks pagefile.Section
	table  []byte // without its head
	count  uint32
	where  pagefile.Section // the table, for messages
}

func openList(blocks, table pagefile.Section) (*list, error) {
	b, err := table.All()
	if err != nil {
		return nil, err
	}
	if len(b) < tableHead {
		return nil, table.Damage(0, "table of a column is too short")
	}
	l := &list{blocks: blocks, table: b[tableHead:], count: binary.LittleEndian.Uint32(b), where: table}
	if uint64(len(l.table)) != entrySize*((uint64(l.count)+BlockLen-1)/BlockLen) {
		return nil, table.Damage(0, "table of a column has the wrong length")
	}
	return l, nil
}

// Span is what the table says of a block.
type Span struct {
	First, Last uint32 // numbers of the block
	Min, Max    int64  // of those present
	Present     int
}

// All reports whether no number of the block is missing.
func (s Span) All() bool { return s.Present == int(s.Last-s.First)+1 }

// span returns what the table says of block i.
func (l *list) span(i uint32) Span {
	le, e := binary.LittleEndian, l.table[i*entrySize:]
	last := uint64(i)*BlockLen + BlockLen - 1
	return Span{
		First:   i * BlockLen,
		Last:    uint32(min(last, uint64(l.count)-1)),
		Min:     int64(le.Uint64(e)),
		Max:     int64(le.Uint64(e[8:])),
		Present: int(le.Uint16(e[32:])),
	}
}

// open reads block i.
func (l *list) open(b *open, i uint32) error {
	le, e := binary.LittleEndian, l.table[i*entrySize:]
	b.Span = l.span(i)
	b.step = le.Uint64(e[16:])
	b.width = uint64(e[34])
	n := uint64(b.Last-b.First) + 1
	if b.Present > int(n) || b.width > 56 && b.width != 64 {
		return l.where.Damage(uint64(tableHead+i*entrySize), "a block of a column makes no sense")
	}
	if b.Present == 0 {
		return nil
	}
	skip := uint64(0)
	if b.Present < int(n) {
		skip = (n + 7) / 8
	}
	bytes, err := l.blocks.Bytes(le.Uint64(e[24:]), skip+(n*b.width+7)/8)
	if err != nil {
		return err
	}
	b.has, b.low = bytes[:skip], bytes[skip:]
	if b.width > 0 {
		b.low = b.low[:len(b.low)+8] // there is padding
	}
	b.mask = math.MaxUint64 >> (64 - b.width)
	return nil
}

// open is an open block.
type open struct {
	Span
	step, width, mask uint64
	has               []byte // empty: all are present
	low               []byte
}

// at returns number i of the block, if Present is not 0.
func (b *open) at(i uint32) (v int64, ok bool) {
	if len(b.has) > 0 && b.has[i/8]>>(i%8)&1 == 0 {
		return 0, false
	}
	return b.Min + int64(b.step*b.raw(i)), true
}

func (b *open) raw(i uint32) uint64 {
	if b.width == 0 {
		return 0
	}
	bit := uint64(i) * b.width
	return binary.LittleEndian.Uint64(b.low[bit/8:]) >> (bit % 8) & b.mask
}

// Text returns the string at a place of the dictionary.
func (c *Column) Text(place int64) (string, error) {
	if c.Dict == nil || place < 0 || place >= int64(c.Dict.Len()) {
		return "", c.numbers.where.Damage(0, "a string that is not in the dictionary")
	}
	return c.Dict.At(int(place))
}
