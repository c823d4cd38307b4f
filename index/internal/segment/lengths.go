package segment

import (
	"encoding/binary"
	"math"
	"sort"

	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/postings"
)

// The lengths of a field are exact: two bytes for each document, its length in
// tokens; 65535 stands for 65535 and more. For those, in ascending order of
// documents, follow
//
//	doc     [4]
//	length  [4]
const (
	longLength = math.MaxUint16
	longSize   = 8
)

func appendLengths(dst []byte, lengths []uint32) []byte {
	le := binary.LittleEndian
	for _, n := range lengths {
		dst = le.AppendUint16(dst, uint16(min(n, longLength)))
	}
	for doc, n := range lengths {
		if n >= longLength {
			dst = le.AppendUint32(dst, uint32(doc))
			dst = le.AppendUint32(dst, n)
		}
	}
	return dst
}

// Lengths says how long a field is in each document. The zero value says 0.
type Lengths struct{ short, long, codes []byte }

func openLengths(s pagefile.Section, docs uint32) (Lengths, error) {
	b, err := s.All()
	if err != nil {
		return Lengths{}, err
	}
	if n := len(b) - 2*int(docs); n < 0 || n%longSize != 0 {
		return Lengths{}, s.Damage(0, "lengths of the wrong length")
	}
	return Lengths{short: b[:2*docs], long: b[2*docs:]}, nil
}

// At returns the length of a document.
func (l Lengths) At(doc uint32) uint32 {
	if len(l.short) == 0 {
		return 0
	}
	if n := binary.LittleEndian.Uint16(l.short[2*int(doc):]); n != longLength {
		return uint32(n)
	}
	return l.atLong(doc)
}

func (l Lengths) atLong(doc uint32) uint32 {
	le := binary.LittleEndian
	n := len(l.long) / longSize
	i := sort.Search(n, func(i int) bool { return le.Uint32(l.long[i*longSize:]) >= doc })
	if i == n || le.Uint32(l.long[i*longSize:]) != doc {
		return longLength
	}
	return le.Uint32(l.long[i*longSize+4:])
}

// coded keeps a code for each length in memory, one byte.
func (l Lengths) coded() Lengths {
	l.codes = make([]byte, len(l.short)/2)
	for doc := range l.codes {
		l.codes[doc] = postings.LenCode(l.At(uint32(doc)))
	}
	return l
}

// Codes returns the code of each length (see [postings.LenCode]); none for the
// zero value.
func (l Lengths) Codes() []byte { return l.codes }
