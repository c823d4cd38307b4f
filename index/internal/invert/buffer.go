// Package invert gathers documents in memory until they are worth a segment.
// They cannot be searched meanwhile.
//
// Where to look:
//
//	buffer.go   adding and deleting documents
//	field.go    the tokens of a field
//	terms.go    numbers for terms
//	columns.go  the values of columns
//	flush.go    turning all of it into a segment
//	sort.go     from tokens by document to documents by term
package invert

// Doc is an analysed document.
type Doc struct {
	Key          string
	Small, Large []byte // its records, see package segment
	Fields       []FieldTokens
	Columns      []ColumnValue
}

// FieldTokens are the tokens of one field of a document.
type FieldTokens struct {
	Number    int // in the schema
	Name      string
	Positions bool
	Tokens    []Token // positions never fall
}

// Token is a term and where it stands.
type Token struct {
	Term string
	Pos  uint32
}

// What things weigh, roughly, with what they need while they are flushed.
const (
	docWeight   = 200
	tokenWeight = 8
	termWeight  = 48
)

// Buffer holds documents. The zero value is empty and ready.
//
// Begin, Kill, Freeze, Thaw, Len and Size take turns, under a lock of the
// caller. Between Begin and the next of these calls for the same document, Fill
// may run beside Kill.
type Buffer struct {
	docs   []doc
	dead   []bool         // by place: replaced or deleted
	live   map[string]int // by key, the place in docs
	fields []*field       // by number; nil: no document has it
	columns
	size   int64
	frozen bool
	late   []int // places that were killed since Freeze
}

type doc struct {
	key          string
	small, large []byte
}

// Size is about how many bytes of memory the buffer takes.
func (b *Buffer) Size() int64 { return b.size }

// Len is the number of documents.
func (b *Buffer) Len() int { return len(b.live) }

// Has reports whether there is a document of a key.
func (b *Buffer) Has(key string) bool {
	_, ok := b.live[key]
	return ok
}

// Begin starts a document, in place of one of the same key, and returns its
// place. Fill must follow.
func (b *Buffer) Begin(key string) (place int) {
	b.Kill(key)
	if b.live == nil {
		b.live = map[string]int{}
	}
	place = len(b.docs)
	b.live[key] = place
	b.docs = append(b.docs, doc{key: key})
	b.dead = append(b.dead, false)
	return place
}

// Fill takes up the document of a place; d is not used any more afterwards.
func (b *Buffer) Fill(place int, d Doc) {
	at := &b.docs[place]
	at.small, at.large = d.Small, d.Large
	b.size += int64(docWeight + len(d.Key) + len(d.Small) + len(d.Large))
	for _, f := range d.Fields {
		for len(b.fields) <= f.Number {
			b.fields = append(b.fields, nil)
		}
		if b.fields[f.Number] == nil {
			b.fields[f.Number] = &field{number: f.Number, name: f.Name, positions: f.Positions}
		}
		b.size += b.fields[f.Number].add(place, f.Tokens)
	}
	if b.columns == nil {
		b.columns = columns{}
	}
	b.size += b.columns.add(place, d.Columns)
}

// Kill removes a document and reports whether it was there.
func (b *Buffer) Kill(key string) bool {
	place, ok := b.live[key]
	if ok {
		b.dead[place] = true
		delete(b.live, key)
		if b.frozen {
			b.late = append(b.late, place)
		}
	}
	return ok
}

// Freeze fixes what is to be flushed; no document may be begun until Thaw.
func (b *Buffer) Freeze() *Frozen {
	b.frozen, b.late = true, nil
	f := &Frozen{b: b, numbers: make([]uint32, len(b.docs))}
	for place, dead := range b.dead {
		if !dead {
			f.places = append(f.places, place)
		}
	}
	return f
}

// Thaw ends what Freeze began, when the buffer is not flushed after all.
func (b *Buffer) Thaw() { b.frozen, b.late = false, nil }
