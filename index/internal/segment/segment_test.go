package segment_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/invert"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/internal/store"
	"github.com/webquarry/quarry/index/internal/stored"
)

// document makes a document of words that are mostly few.
func document(rnd *rand.Rand, key string) invert.Doc {
	d := invert.Doc{Key: key}
	var values []segment.Value
	for number, name := range []string{"title", "body", "tag"} {
		if rnd.IntN(5) == 0 {
			continue
		}
		f := invert.FieldTokens{Number: number, Name: name, Positions: name != "tag"}
		pos := uint32(0)
		for range rnd.IntN(20) * rnd.IntN(8) {
			pos += uint32(rnd.IntN(3))
			f.Tokens = append(f.Tokens, invert.Token{Term: fmt.Sprint("w", int(rnd.ExpFloat64()*8)), Pos: pos})
		}
		d.Fields = append(d.Fields, f)
		v := segment.Value{Field: number, Strings: []string{strings.Repeat(key+" ", rnd.IntN(100))}}
		if v.List = rnd.IntN(3) == 0; v.List {
			v.Strings = append(v.Strings, "more")
		}
		values = append(values, v)
	}
	d.Small, d.Large = segment.Record(values)
	return d
}

func documents(seed uint64, n int) []invert.Doc {
	rnd := rand.New(rand.NewPCG(seed, 1))
	docs := make([]invert.Doc, n)
	for i := range docs {
		docs[i] = document(rnd, fmt.Sprintf("key%05d", i))
	}
	return docs
}

var codec = stored.NewCodec()

// build writes a segment and returns its bytes.
func build(t testing.TB, docs ...invert.Doc) []byte {
	t.Helper()
	return ordered(t, segment.Order{}, docs...)
}

// ordered writes a segment in an order.
func ordered(t testing.TB, o segment.Order, docs ...invert.Doc) []byte {
	t.Helper()
	var b invert.Buffer
	for _, d := range docs {
		place := b.Begin(d.Key)
		b.Fill(place, d, math.MaxInt64)
		b.Keep(place)
	}
	return written(t, func(w *segment.Writer) error { return b.Freeze(o).WriteTo(context.Background(), w) })
}

func written(t testing.TB, f func(*segment.Writer) error) []byte {
	t.Helper()
	in := store.NewMemory()
	w, err := segment.Create(in, "s", 1, codec)
	if err != nil {
		t.Fatal(err)
	}
	if err := f(w); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	m, err := in.Map("s")
	if err != nil {
		t.Fatal(err)
	}
	if names, _ := in.List(); len(names) != 1 {
		t.Errorf("files left: %v", names)
	}
	return m.Bytes
}

func open(t testing.TB, data []byte) *segment.Segment {
	t.Helper()
	s, err := segment.Open(data, codec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestReadsWhatWasWritten(t *testing.T) {
	t.Parallel()
	docs := documents(1, 300)
	s := open(t, build(t, docs...))
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, d := range docs {
		doc, err := s.Find(d.Key)
		key, keyErr := s.Key(doc)
		if err != nil || keyErr != nil || doc != uint32(i) || key != d.Key {
			t.Fatalf("%s: document %d with key %s, %v, %v", d.Key, doc, key, err, keyErr)
		}
		values, err := s.Values(doc, func(int) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		small, large := segment.Record(values)
		if !bytes.Equal(small, d.Small) || !bytes.Equal(large, d.Large) {
			t.Fatalf("%s: other values", d.Key)
		}
		for _, f := range d.Fields {
			one, err := s.Values(doc, func(number int) bool { return number == f.Number })
			if err != nil || len(one) != 1 || !slices.ContainsFunc(values, func(v segment.Value) bool {
				return v.Field == f.Number && slices.Equal(v.Strings, one[0].Strings)
			}) {
				t.Fatalf("%s: field %d alone: %v, %v", d.Key, f.Number, one, err)
			}
		}
	}
	if doc, err := s.Find("nowhere"); doc != segment.NoDoc || err != nil {
		t.Errorf("found what is not there: %d, %v", doc, err)
	}
}

// orders are all orders.
var orders = []segment.Order{segment.ByKey: {}, {By: segment.ByHost}, {By: segment.ByColumn, Field: 5}, {By: segment.AsGiven}}

// A merge writes, byte for byte, what the documents give when they are written
// at once, except that records keep the order in which they were written first;
// in whatever orders its sources are.
func TestMergeIsBuildAtOnce(t *testing.T) {
	t.Parallel()
	seeds := uint64(20)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		rnd := rand.New(rand.NewPCG(seed, 2))
		docs := documents(seed, 1+rnd.IntN(400))
		for i := range docs {
			docs[i].Key = fmt.Sprintf("https://%d.host%d.example/%d", rnd.IntN(3), rnd.IntN(9), i)
			if rnd.IntN(4) > 0 {
				docs[i].Columns = []invert.ColumnValue{{Field: orders[segment.ByColumn].Field, Number: int64(rnd.IntN(20))}}
			}
		}
		o := orders[int(seed)%(len(orders)-1)]
		parts := make([][]invert.Doc, 1+rnd.IntN(6))
		var live []invert.Doc
		dead := make([][]string, len(parts))
		for _, d := range docs {
			i := rnd.IntN(len(parts))
			parts[i] = append(parts[i], d)
			if rnd.IntN(4) == 0 {
				dead[i] = append(dead[i], d.Key)
			} else {
				live = append(live, d)
			}
		}
		var sources []segment.Source
		for i, p := range parts {
			s := open(t, ordered(t, orders[(int(seed)+rnd.IntN(2)*rnd.IntN(4))%4], p...))
			deleted := bitset.New(s.Docs)
			for _, key := range dead[i] {
				doc, _ := s.Find(key)
				deleted.Add(doc)
			}
			sources = append(sources, segment.Source{Segment: s, Deleted: deleted})
		}
		got := written(t, func(w *segment.Writer) error {
			_, err := segment.MergeGathering(t.Context(), w, sources, o, []int{64 << 20, 2000, 0}[seed%3])
			return err
		})
		if err := open(t, got).Verify(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := ordered(t, o, live...)
		// A field that only deleted documents have stays, without terms.
		if len(open(t, got).Fields) == len(open(t, want).Fields) {
			sameSections(t, seed, got, want)
		}
		sameRecords(t, open(t, got), live)
	}
}

// sameSections compares two segments but for their records.
func sameSections(t *testing.T, seed uint64, got, want []byte) {
	t.Helper()
	a, errA := pagefile.Open(got)
	b, errB := pagefile.Open(want)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	for kind := range uint16(100) {
		for field := range uint16(10) {
			if kind >= 4 && kind <= 7 {
				continue
			}
			x, _ := a.Section(kind, field)
			y, _ := b.Section(kind, field)
			of, errA := x.All()
			with, errB := y.All()
			if errA != nil || errB != nil || !bytes.Equal(of, with) {
				t.Fatalf("seed %d: section %d of field %d: %d bytes, want %d", seed, kind, field, len(of), len(with))
			}
		}
	}
}

func sameRecords(t *testing.T, s *segment.Segment, docs []invert.Doc) {
	t.Helper()
	for _, d := range docs {
		doc, err := s.Find(d.Key)
		if err != nil {
			t.Fatal(err)
		}
		if key, err := s.Key(doc); err != nil || key != d.Key {
			t.Fatalf("%s is found as %s, %v", d.Key, key, err)
		}
		values, err := s.Values(doc, func(int) bool { return true })
		small, large := segment.Record(values)
		if err != nil || !bytes.Equal(small, d.Small) || !bytes.Equal(large, d.Large) {
			t.Fatalf("%s: other values, %v", d.Key, err)
		}
	}
}

// Merges take blocks of records over as they are.
func TestMergeCopiesBlocks(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 1))
	parts := make([][]invert.Doc, 3)
	var all []invert.Doc
	for i := range 900 {
		text := make([]byte, 2000) // hardly compresses
		for j := range text {
			text[j] = byte('a' + rnd.IntN(26))
		}
		d := invert.Doc{Key: fmt.Sprintf("%05d", i)}
		d.Small, d.Large = segment.Record([]segment.Value{{Field: 1, Strings: []string{string(text)}}})
		parts[i%3] = append(parts[i%3], d)
		all = append(all, d)
	}
	var sources []segment.Source
	var frames [][]byte
	for _, p := range parts {
		b := build(t, p...)
		sources = append(sources, segment.Source{Segment: open(t, b)})
		frames = append(frames, b[8+100:8+30_000]) // of the first block
	}
	got := written(t, func(w *segment.Writer) error {
		_, err := segment.Merge(t.Context(), w, sources, segment.Order{})
		return err
	})
	for i, f := range frames {
		if !bytes.Contains(got, f) {
			t.Errorf("source %d: blocks were packed anew", i)
		}
	}
	s := open(t, got)
	sameRecords(t, s, all)
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Deleted documents leave nothing behind.
	deleted := bitset.New(s.Docs)
	deleted.Add(7)
	got = written(t, func(w *segment.Writer) error {
		_, err := segment.Merge(t.Context(), w, []segment.Source{{Segment: s, Deleted: deleted}}, segment.Order{})
		return err
	})
	sameRecords(t, open(t, got), slices.Delete(all, 7, 8))
}

func TestMergeRefusesTwins(t *testing.T) {
	t.Parallel()
	a, b := open(t, build(t, documents(1, 5)...)), open(t, build(t, documents(2, 5)...))
	w, err := segment.Create(store.NewMemory(), "s", 1, codec)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := segment.Merge(t.Context(), w, []segment.Source{{Segment: a}, {Segment: b}}, segment.Order{}); err == nil {
		t.Error("merged two live documents of one key")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w, _ = segment.Create(store.NewMemory(), "s", 1, codec)
	if _, err := segment.Merge(ctx, w, []segment.Source{{Segment: open(t, build(t, documents(1, 3000)...))}}, segment.Order{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestLongFields(t *testing.T) {
	t.Parallel()
	d := invert.Doc{Key: "long", Fields: []invert.FieldTokens{{Name: "body", Positions: true}}}
	for i := range uint32(70_000) {
		d.Fields[0].Tokens = append(d.Fields[0].Tokens, invert.Token{Term: fmt.Sprint("w", i%3), Pos: i})
	}
	d.Small, d.Large = segment.Record(nil)
	s := open(t, build(t, d, invert.Doc{Key: "a", Small: d.Small}))
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, _ := s.Field("body")
	lengths, err := f.Lengths()
	if err != nil || lengths.At(0) != 0 || lengths.At(1) != 70_000 || f.Tokens != 70_000 {
		t.Errorf("lengths %d and %d, %v", lengths.At(0), lengths.At(1), err)
	}
}

// reseal makes the checksums of a file right, if its footer can be found.
func reseal(data []byte) []byte {
	le, table := binary.LittleEndian, crc32.MakeTable(crc32.Castagnoli)
	data = bytes.Clone(data)
	size := uint64(len(data))
	if size < 80 {
		return data
	}
	body, foot := le.Uint64(data[size-40:]), uint64(le.Uint32(data[size-32:]))
	if foot < 80 || foot > size || body > size-foot {
		return data
	}
	pages := (body + pagefile.PageSize - 1) / pagefile.PageSize
	n := uint64(le.Uint32(data[size-foot:]))
	if at := size - foot + 4 + 20*n; 4*pages <= size && at < size-40-4*pages {
		for p := range pages {
			from := p * pagefile.PageSize
			le.PutUint32(data[at+4*p:], crc32.Checksum(data[from:min(from+pagefile.PageSize, body)], table))
		}
	}
	le.PutUint32(data[size-4:], crc32.Checksum(data[size-foot:size-4], table))
	copy(data[body:], data[size-foot:])
	return data
}

// read reads all of a segment that may be damaged.
func read(s *segment.Segment) {
	ctx := context.Background()
	s.Verify(ctx)
	for doc := range min(s.Docs, 20) {
		if key, err := s.Key(doc); err == nil {
			s.Find(key)
		}
		s.Values(doc, func(field int) bool { return field != 1 })
	}
	for _, f := range s.Fields {
		f.Dict.Find("w1")
		terms := f.Dict.Iter()
		for ok := terms.Seek([]byte("w")); ok; ok = terms.Next() {
			e, err := terms.Entry()
			if err != nil {
				break
			}
			f.Lists.Open(e).Mark(0, s.Docs, make([]uint64, s.Docs/64+1))
			c := f.Lists.Open(e)
			for doc := c.Advance(1); doc != postings.End; doc = c.Advance(doc + 2) {
				c.TF()
				if f.Positions {
					c.Positions(nil)
				}
			}
		}
	}
	if w, err := segment.Create(store.NewMemory(), "s", 1, codec); err == nil {
		segment.Merge(ctx, w, []segment.Source{{Segment: s}}, orders[int(s.Docs)%len(orders)])
	}
}

// Whatever the bytes are, reading them neither panics nor goes on for ever.
func FuzzSegment(f *testing.F) {
	f.Add(build(f, documents(1, 3)...))
	f.Add(build(f, documents(2, 200)...))
	f.Add(build(f))
	f.Add(ordered(f, orders[segment.ByHost], documents(3, 6)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := segment.Open(reseal(data), codec); err == nil {
			read(s)
		}
	})
}

// With right checksums, wrong bytes still only give errors.
func TestWrongBytesUnderRightChecksums(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 3))
	for rounds, data := range map[int][]byte{3000: build(t, documents(4, 3)...), 300: ordered(t, orders[segment.AsGiven], documents(5, 300)...)} {
		if rounds /= few; testing.Short() {
			rounds /= 10
		}
		if s, err := segment.Open(reseal(data), codec); err != nil || s.Verify(t.Context()) != nil {
			t.Fatalf("resealed: %v", err)
		}
		if spoiled := bytes.Clone(data); !bytes.Equal(reseal(spoiled), data) {
			t.Fatal("resealed, it is another")
		}
		body := binary.LittleEndian.Uint64(data[len(data)-40:])
		for range rounds {
			spoiled := bytes.Clone(data)
			for range 1 + rnd.IntN(3) {
				spoiled[rnd.IntN(int(body))] = byte(rnd.Uint32())
			}
			if s, err := segment.Open(reseal(spoiled), codec); err == nil {
				read(s)
			}
		}
	}
}
