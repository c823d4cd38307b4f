package packed_test

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index/internal/packed"
)

func padded(b []byte) []byte {
	return append(b, make([]byte, packed.Padding)...)[:len(b)]
}

func TestBlockExample(t *testing.T) {
	t.Parallel()
	var v [packed.Len]uint32
	for i := range v {
		v[i] = 1
	}
	v[5] = 300
	got := hex.EncodeToString(packed.Append(nil, &v))
	if want := "81010205" + "df" + strings.Repeat("ff", 15) + "9601"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
}

func TestBlockRoundTrip(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	rounds := 20_000
	if testing.Short() {
		rounds = 2_000
	}
	for range rounds {
		var v, got [packed.Len]uint32
		w, outliers := rnd.IntN(33), rnd.IntN(200)
		for i := range v {
			v[i] = uint32(uint64(rnd.Uint32()) & (1<<w - 1))
			if rnd.IntN(200) < outliers/8 {
				v[i] = rnd.Uint32() >> rnd.IntN(32)
			}
		}
		b := packed.Append([]byte("x"), &v)[1:]
		if len(b) > packed.MaxSize {
			t.Fatalf("block of %d bytes", len(b))
		}
		n, err := packed.Unpack(&got, padded(b))
		if err != nil || n != len(b) || got != v {
			t.Fatalf("width %d: read %d of %d bytes, %v", w, n, len(b), err)
		}
		for i, want := range v {
			if x, ok := packed.At(padded(b), i); x != want || !ok {
				t.Fatalf("width %d: number %d is %d, want %d", w, i, x, want)
			}
		}
		if n, err := packed.Size(b); n != len(b) || err != nil {
			t.Fatalf("Size = %d, %v, want %d", n, err, len(b))
		}
	}
}

func TestBytes(t *testing.T) {
	t.Parallel()
	b := packed.Bytes{B: []byte{5, 0xac, 2, 1, 'x', 9}}
	if x, y, s := b.Uvarint(), b.Uvarint32(), b.Counted(); x != 5 || y != 300 || string(s) != "x" || b.Bad {
		t.Fatal(x, y, s, b.Bad)
	}
	if s := b.Counted(); s != nil || !b.Bad || b.Uvarint() != 0 || b.Uvarint32() != 0 {
		t.Fatal("read beyond the end")
	}
	long := packed.Bytes{B: []byte{0xff, 0xff, 0xff, 0xff, 0xff, 1}}
	if x := long.Uvarint32(); x != 0 || !long.Bad {
		t.Fatal("took 41 bits for 32")
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte{1, 2, 3})
	f.Add(append([]byte{0x81, 1, 2, 5}, make([]byte, 18)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		var v [packed.Len]uint32
		n, err := packed.Unpack(&v, padded(b))
		if err == nil && (n <= 0 || n > len(b)) {
			t.Fatalf("block of %d bytes in %d", n, len(b))
		}
		packed.Unpack(&v, b[:len(b):len(b)])
		if size, err := packed.Size(b); err == nil {
			for i := range packed.Len {
				packed.At(padded(b[:size]), i)
				packed.At(b[:size:size], i)
			}
		}
	})
}

func BenchmarkUnpack(b *testing.B) {
	var v [packed.Len]uint32
	for i := range v {
		v[i] = uint32(i)
	}
	v[7] = 5000
	block := padded(packed.Append(nil, &v))
	for b.Loop() {
		packed.Unpack(&v, block)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/packed.Len, "ns/int")
}
