package fuzzy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"unicode/utf8"
	"unsafe"
)

// A file of words holds a QGrams as it lies in memory, so that it can be mapped and
// used at once, by many processes, with no more memory than is looked at. Numbers are
// little-endian. It begins with 64 bytes:
//
//	 0  8  "quarryqg"
//	 8  4  version, 1
//	12  4  CRC-32C of all bytes from 16 on
//	16  4  words: how many
//	20  4  sizes: of the longest word in runes, and 2
//	24  4  grams: different ones
//	28  4  places: of grams in words
//	32  8  text: bytes of all words
//	40  8  total: of the weights, a float64
//	48 16  zero
//
// and goes on with these lists, each filled up with zeros to a multiple of 8 bytes:
//
//	weights  float64 for each word
//	letters  uint64 for each word, see letters
//	grams    uint64 each, ascending, see gram
//	starts   uint32, words+1: word i is text[starts[i]:starts[i+1]]
//	sizes    uint32: the words of n runes are sizes[n] to sizes[n+1]
//	lists    uint32, grams+1: the words of gram i are places[lists[i]:lists[i+1]]
//	places   uint32: numbers of words
//	text     all words, end to end
//
// docs/formats/words.md has an example.
const (
	mappedMagic   = "quarryqg"
	mappedVersion = 1
	mappedHeader  = 64
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// CorruptError tells that bytes are no file of words, or a damaged one.
type CorruptError struct {
	Offset int // where it shows
	Err    error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("fuzzy: file of words: at byte %d: %v", e.Offset, e.Err)
}

func (e *CorruptError) Unwrap() error { return e.Err }

// WriteTo writes the dictionary in a form that [Map] uses where it lies. The metric is
// not written.
func (g *QGrams) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	le := binary.LittleEndian
	header := make([]byte, mappedHeader)
	copy(header, mappedMagic)
	le.PutUint32(header[8:], mappedVersion)
	for i, n := range []int{g.Len(), len(g.words.sizes), len(g.lists.grams), len(g.lists.words)} {
		le.PutUint32(header[16+4*i:], uint32(n))
	}
	le.PutUint64(header[32:], uint64(len(g.words.text)))
	le.PutUint64(header[40:], math.Float64bits(g.total))
	b.Write(header)
	sizes := make([]uint32, len(g.words.sizes))
	for i, n := range g.words.sizes {
		sizes[i] = uint32(n)
	}
	for _, list := range []any{g.words.weights, g.letters, g.lists.grams, g.words.starts, sizes, g.lists.starts, g.lists.words, []byte(g.words.text)} {
		if err := binary.Write(&b, le, list); err != nil {
			return 0, fmt.Errorf("fuzzy: file of words: %w", err)
		}
		for b.Len()%8 != 0 {
			b.WriteByte(0)
		}
	}
	le.PutUint32(b.Bytes()[12:], crc32.Checksum(b.Bytes()[16:], castagnoli))
	return b.WriteTo(w)
}

// Map makes a QGrams of what WriteTo wrote, such as a file that is mapped into memory.
// It uses the bytes where they lie, so they must neither change nor go away as long as it is
// used; on machines with big-endian numbers it copies them. It reads all bytes
// once to see that they are whole; those that are not are a *CorruptError.
func Map(data []byte) (*QGrams, error) {
	bad := func(at int, what string) (*QGrams, error) { return nil, &CorruptError{at, errors.New(what)} }
	le := binary.LittleEndian
	switch {
	case len(data) < mappedHeader || string(data[:8]) != mappedMagic:
		return bad(0, "not a file of words")
	case le.Uint32(data[8:]) != mappedVersion:
		return bad(8, fmt.Sprintf("version %d, this program reads %d", le.Uint32(data[8:]), mappedVersion))
	case le.Uint32(data[12:]) != crc32.Checksum(data[16:], castagnoli):
		return bad(12, "the checksum is another")
	}
	words, sizes, grams, places := uint64(le.Uint32(data[16:])), uint64(le.Uint32(data[20:])), uint64(le.Uint32(data[24:])), uint64(le.Uint32(data[28:]))
	text := le.Uint64(data[32:])
	at, short := uint64(mappedHeader), false
	next := func(n, size uint64) []byte {
		if n > uint64(len(data)) || short || n*size > uint64(len(data))-at {
			short = true
			return nil
		}
		part := data[at : at+n*size]
		at = min((at+n*size+7)&^7, uint64(len(data)))
		return part
	}
	g := &QGrams{total: math.Float64frombits(le.Uint64(data[40:]))}
	g.words.weights = numbersOf[float64](next(words, 8))
	g.letters = numbersOf[letters](next(words, 8))
	g.lists.grams = numbersOf[gram](next(grams, 8))
	g.words.starts = numbersOf[uint32](next(words+1, 4))
	for _, n := range numbersOf[uint32](next(sizes, 4)) {
		g.words.sizes = append(g.words.sizes, int(n))
	}
	g.lists.starts = numbersOf[uint32](next(grams+1, 4))
	g.lists.words = numbersOf[uint32](next(places, 4))
	if all := next(text, 1); len(all) > 0 {
		g.words.text = unsafe.String(&all[0], len(all))
	}
	if short || at != uint64(len(data)) {
		return bad(len(data), "lists are longer than the file, or shorter")
	}
	if what := g.check(); what != "" {
		return bad(mappedHeader, what)
	}
	return g, nil
}

// check says what is wrong with lists that were read, so that no search goes beyond
// them.
func (g *QGrams) check() string {
	ends := func(list []uint32, most int) bool {
		return list[0] == 0 && slices.IsSorted(list) && int(list[len(list)-1]) == most
	}
	switch {
	case !ends(g.words.starts, len(g.words.text)):
		return "words do not follow each other"
	case !ends(g.lists.starts, len(g.lists.words)):
		return "lists of grams do not follow each other"
	case len(g.words.sizes) < 1 || g.words.sizes[0] != 0 || !slices.IsSorted(g.words.sizes) || g.words.sizes[len(g.words.sizes)-1] != g.Len():
		return "words are not in order of size"
	case !slices.IsSorted(g.lists.grams):
		return "grams are not in order"
	case len(g.lists.words) > 0 && int(slices.Max(g.lists.words)) >= g.Len():
		return "a gram is in a word that is not there"
	}
	for i := range g.lists.grams {
		if list := g.lists.words[g.lists.starts[i]:g.lists.starts[i+1]]; !slices.IsSorted(list) {
			return fmt.Sprintf("the words of gram %d are not in order", i)
		}
	}
	for n := range max(len(g.words.sizes)-1, 0) {
		for i := g.words.sizes[n]; i < g.words.sizes[n+1]; i++ {
			switch {
			case utf8.RuneCountInString(g.words.word(i)) != n:
				return fmt.Sprintf("word %d is not as long as it should be", i)
			case i > g.words.sizes[n] && g.words.word(i-1) >= g.words.word(i):
				return fmt.Sprintf("word %d is not in alphabetical order", i)
			}
		}
	}
	return ""
}

// numbersOf is numbers that lie in memory, little-endian.
func numbersOf[N ~uint32 | ~uint64 | ~float64](data []byte) []N {
	var zero N
	size := int(unsafe.Sizeof(zero))
	n := len(data) / size
	if n == 0 {
		return nil
	}
	if littleEndian() && uintptr(unsafe.Pointer(&data[0]))%uintptr(size) == 0 {
		return unsafe.Slice((*N)(unsafe.Pointer(&data[0])), n)
	}
	list := make([]N, n)
	if _, err := binary.Decode(data, binary.LittleEndian, list); err != nil {
		panic(err) // it has the size for them
	}
	return list
}

// littleEndian reports whether numbers lie in memory as they do in the file.
func littleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }
