// Package invert gathers documents in memory until they are worth a segment.
// They cannot be searched meanwhile.
//
// Where to look:
//
//	buffer.go   adding and deleting documents
//	field.go    the tokens of a field
//	flush.go    turning all of it into a segment
package invert

// Doc is an analysed document.
type Doc struct {
	Key          string
	Small, Large []byte // its records, see package segment
	Fields       []FieldTokens
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
	tokenWeight = 16
	termWeight  = 120
)

// Buffer holds documents. The zero value is empty and ready.
type Buffer struct {
	docs   []doc
	live   map[string]int // by key, the place in docs
	fields []*field       // by number; nil: no document has it
	size   int64
}

type doc struct {
	key          string
	small, large []byte
	dead         bool // replaced or deleted
}

// Size is about how many bytes of memory the buffer takes.
func (b *Buffer) Size() int64 { return b.size }

// Len is the number of documents.
func (b *Buffer) Len() int { return len(b.live) }

// Add adds a document. It replaces one of the same key.
func (b *Buffer) Add(d Doc) {
	b.Delete(d.Key)
	if b.live == nil {
		b.live = map[string]int{}
	}
	place := len(b.docs)
	b.live[d.Key] = place
	b.docs = append(b.docs, doc{key: d.Key, small: d.Small, large: d.Large})
	b.size += int64(docWeight + len(d.Key) + len(d.Small) + len(d.Large))
	for _, f := range d.Fields {
		for len(b.fields) <= f.Number {
			b.fields = append(b.fields, nil)
		}
		if b.fields[f.Number] == nil {
			b.fields[f.Number] = &field{number: f.Number, name: f.Name, positions: f.Positions, ids: map[string]uint32{}}
		}
		b.size += b.fields[f.Number].add(place, f.Tokens)
	}
}

// Delete removes a document and reports whether it was there.
func (b *Buffer) Delete(key string) bool {
	place, ok := b.live[key]
	if ok {
		d := &b.docs[place]
		d.dead, d.small, d.large = true, nil, nil
		delete(b.live, key)
	}
	return ok
}

// Keys returns the keys of the documents in ascending order.
func (b *Buffer) Keys() []string {
	keys := make([]string, 0, len(b.live))
	for _, place := range b.order() {
		keys = append(keys, b.docs[place].key)
	}
	return keys
}
