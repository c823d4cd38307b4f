package column_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/pagefile"
)

func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// file writes a file and returns its bytes.
func file(t testing.TB, write func(*pagefile.Writer) error) []byte {
	t.Helper()
	var out bytes.Buffer
	w := pagefile.NewWriter(&out, 1)
	must(t, write(w), w.Finish())
	return out.Bytes()
}

func open(t testing.TB, b []byte, docs int) *column.Column {
	t.Helper()
	f, err := pagefile.Open(b)
	must(t, err)
	c, err := column.Open(f, 7, uint32(docs))
	must(t, err)
	return c
}

func numbers(v column.Values) func(*pagefile.Writer) error {
	return func(w *pagefile.Writer) error { return column.WriteNumbers(w, 7, v) }
}

// The example above the format, byte for byte.
func TestExample(t *testing.T) {
	t.Parallel()
	v := column.NewValues(4)
	v.Set(0, 100)
	v.Set(2, 160)
	v.Set(3, 130)
	f, err := pagefile.Open(file(t, numbers(v)))
	must(t, err)
	for kind, want := range map[uint16]string{
		column.SectionTable:  "04000000 6400000000000000 a000000000000000 1e00000000000000 0000000000000000 0300 02 00",
		column.SectionBlocks: "0d 60",
	} {
		s, _ := f.Section(kind, 7)
		b, err := s.All()
		must(t, err)
		if got := hex.EncodeToString(b); got != strings.ReplaceAll(want, " ", "") {
			t.Errorf("section %d is %s, want %s", kind, got, want)
		}
	}
}

// shapes make the numbers of a column.
var shapes = []func(r *rand.Rand, i int) (int64, bool){
	func(r *rand.Rand, _ int) (int64, bool) { return int64(r.Uint64()), true },
	func(r *rand.Rand, _ int) (int64, bool) { return int64(r.Uint64()), r.IntN(2) == 0 },
	func(r *rand.Rand, _ int) (int64, bool) { return 42, true },
	func(r *rand.Rand, _ int) (int64, bool) { return 0, false },
	func(r *rand.Rand, i int) (int64, bool) { return int64(i) * 86400, i%7 != 0 },
	func(r *rand.Rand, _ int) (int64, bool) { return []int64{math.MinInt64, math.MaxInt64}[r.IntN(2)], true },
	func(r *rand.Rand, i int) (int64, bool) { return -5 + int64(r.IntN(1+i/100)), i/1024%2 == 0 },
	func(r *rand.Rand, _ int) (int64, bool) { return r.Int64N(1 << 57), true },
	func(r *rand.Rand, _ int) (int64, bool) { return r.Int64N(1<<56) * 3, true },
}

func TestNumbersReadBack(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for round := range 90 {
		shape := shapes[round%len(shapes)]
		v := column.NewValues(1 + r.IntN(3500))
		for i := range v.Has {
			if n, ok := shape(r, i); ok {
				v.Set(i, n)
			}
		}
		c := open(t, file(t, numbers(v)), len(v.Has))
		must(t, c.Verify(t.Context()))
		cur := c.Cursor()
		for i, has := range v.Has {
			if n, ok := cur.At(uint32(i)); ok != has || n != v.Numbers[i] {
				t.Fatalf("shape %d: number %d of %d is %d, %v, want %d, %v", round%len(shapes), i, len(v.Has), n, ok, v.Numbers[i], has)
			}
		}
		for range 30 {
			checkWithin(t, r, cur, v)
		}
		must(t, cur.Err())
	}
}

// checkWithin compares a search for a range of values with a look at each.
func checkWithin(t *testing.T, r *rand.Rand, cur *column.Cursor, v column.Values) {
	t.Helper()
	some := func() int64 {
		n := v.Numbers[r.IntN(len(v.Numbers))]
		return []int64{n, n + 1, n - 1, math.MinInt64, math.MaxInt64, 0}[r.IntN(6)]
	}
	lo, hi, doc := some(), some(), uint32(r.IntN(len(v.Numbers)))
	s, _ := cur.Span(doc)
	want := doc
	for want <= s.Last && !(v.Has[want] && v.Numbers[want] >= lo && v.Numbers[want] <= hi) {
		want++
	}
	if got := cur.Within(doc, s.Last, lo, hi); got != want {
		t.Fatalf("from %d the first from %d to %d is %d, want %d", doc, lo, hi, got, want)
	}
}

func TestStringsReadBack(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	for round := range 40 {
		docs, words := 1+r.IntN(3000), 1+r.IntN(300)
		want := make([][]int64, docs)
		var s column.Strings
		for doc := range want {
			n := r.IntN(2)
			if round%2 == 0 {
				n = max(0, r.IntN(8)-4)
			}
			for range n {
				place := r.IntN(words)
				s.Add(uint32(doc), uint32(place))
				want[doc] = append(want[doc], int64(place))
			}
			slices.Sort(want[doc])
			want[doc] = slices.Compact(want[doc])
		}
		var dict [][]byte
		for i := range words {
			dict = append(dict, []byte{byte(i >> 8), byte(i)})
		}
		b := file(t, func(w *pagefile.Writer) error {
			return column.WriteStrings(w, 7, uint32(docs), slices.Values(dict), s)
		})
		c := open(t, b, docs)
		must(t, c.Verify(t.Context()))
		cur := c.Cursor()
		for doc := range docs {
			if got := cur.Values(nil, uint32(doc)); !slices.Equal(got, want[doc]) {
				t.Fatalf("document %d has %v, want %v", doc, got, want[doc])
			}
			if n, ok := cur.At(uint32(doc)); ok != (len(want[doc]) > 0) || ok && n != want[doc][0] {
				t.Fatalf("document %d has %d first, %v", doc, n, ok)
			}
		}
		must(t, cur.Err())
	}
}

// Every flipped byte is an error or does no harm.
func TestFlips(t *testing.T) {
	t.Parallel()
	var s column.Strings
	for doc := range uint32(50) {
		s.Add(doc, doc%3)
		s.Add(doc, doc%2)
	}
	b := file(t, func(w *pagefile.Writer) error {
		return column.WriteStrings(w, 7, 50, slices.Values([][]byte{{'a'}, {'b'}, {'c'}}), s)
	})
	for i := range b {
		b[i] ^= 0x41
		f, err := pagefile.Open(b)
		if err == nil {
			err = f.Verify(t.Context())
		}
		if err == nil {
			t.Errorf("byte %d: no error", i)
		} else if _, ok := errors.AsType[*pagefile.Damage](err); !ok && !errors.Is(err, pagefile.ErrVersion) {
			t.Errorf("byte %d: %v", i, err)
		}
		b[i] ^= 0x41
	}
}

// FuzzColumn reads sections of any bytes, whose checksums are right.
func FuzzColumn(f *testing.F) {
	f.Add([]byte{0x0d, 0x60}, must2(hex.DecodeString("040000006400000000000000a0000000000000001e00000000000000000000000000000003000200")), []byte{}, []byte{}, []byte{}, []byte{})
	f.Add([]byte{1}, must2(hex.DecodeString("0300000000000000000000000100000000000000010000000000000000000000000000000300"+"0100")),
		must2(hex.DecodeString("0201610162")), must2(hex.DecodeString("0200000001000000000000000000000000000000")), []byte{0xe4}, must2(hex.DecodeString("04000000000000000000000003000000000000000100000000000000000000000000000004000200")))
	f.Fuzz(func(t *testing.T, blocks, table, dict, index, starts, startsTable []byte) {
		b := file(t, func(w *pagefile.Writer) error {
			for kind, s := range [][]byte{blocks, table, dict, index, starts, startsTable} {
				if len(s) > 0 || kind < 2 {
					w.Begin(uint16(column.SectionBlocks+kind), 7)
					w.Write(s)
				}
			}
			return nil
		})
		in, err := pagefile.Open(b)
		must(t, err)
		c, err := column.Open(in, 7, 3)
		if err != nil || c == nil {
			return
		}
		cur := c.Cursor()
		for doc := range uint32(4) {
			cur.At(doc)
			for _, n := range cur.Values(nil, doc) {
				c.Text(n)
			}
			if s, ok := cur.Span(doc); ok && s.Present > 0 { // as a search does
				cur.Within(min(doc, s.Last), s.Last, 0, 5)
			}
		}
		c.Verify(t.Context())
	})
}

func must2(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}
