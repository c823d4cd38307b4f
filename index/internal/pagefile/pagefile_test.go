package pagefile_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index/internal/pagefile"
)

func write(t *testing.T, parts ...[]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := pagefile.NewWriter(&out, 77)
	for i, p := range parts {
		w.Begin(uint16(i), 7)
		w.Write(p)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	long := bytes.Repeat([]byte("0123456789"), 20_000)
	data := write(t, []byte("one"), nil, long)
	f, err := pagefile.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]byte{[]byte("one"), nil, long} {
		s, ok := f.Section(uint16(i), 7)
		got, err := s.All()
		if !ok || err != nil || !bytes.Equal(got, want) || s.Len() != uint64(len(want)) {
			t.Errorf("section %d: %v %v, %d bytes", i, ok, err, len(got))
		}
		if len(want) > 0 && cap(got)-len(got) < pagefile.Padding {
			t.Errorf("section %d has no padding", i)
		}
	}
	s, _ := f.Section(2, 7)
	if b, err := s.Bytes(100_001, 3); string(b) != "123" || err != nil {
		t.Errorf("Bytes = %q, %v", b, err)
	}
	if _, ok := f.Section(2, 8); ok {
		t.Error("found a section that is not there")
	}
	for _, at := range [][2]uint64{{200_001, 0}, {199_999, 2}, {1, 1<<64 - 1}} {
		if _, err := s.Bytes(at[0], at[1]); !errors.As(err, new(*pagefile.Damage)) {
			t.Errorf("Bytes(%d, %d): %v", at[0], at[1], err)
		}
	}
}

// docs/formats/pagefile.md shows what is written.
func TestDocumentedExample(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/formats/pagefile.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, ok := strings.Cut(string(page), "<!-- example -->")
	var said strings.Builder
	for line := range strings.Lines(example) {
		if b, _, ok := strings.Cut(line, "|"); ok && strings.HasPrefix(line, "    ") {
			said.WriteString(strings.ReplaceAll(b, " ", ""))
		}
	}
	var out bytes.Buffer
	w := pagefile.NewWriterAs(&out, pagefile.ID{Index: 0x0102030405060708, File: 0x1112131415161718})
	w.Begin(5, 7)
	io.WriteString(w, "hello")
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if want := hex.EncodeToString(out.Bytes()); !ok || said.String() != want {
		t.Errorf("the page says\n%s\nwritten is\n%s", said.String(), hex.Dump(out.Bytes()))
	}
}

// Every changed byte is noticed, and mended.
func TestFlippedBytes(t *testing.T) {
	t.Parallel()
	data := write(t, []byte("one"), bytes.Repeat([]byte("x"), 9_000), nil, bytes.Repeat([]byte("y"), 300))
	for i := range data {
		if testing.Short() && i%29 != 0 {
			continue
		}
		spoiled := bytes.Clone(data)
		spoiled[i] ^= 0x10
		f, err := pagefile.Open(spoiled)
		if err == nil {
			err = f.Verify(t.Context())
		}
		if !errors.As(err, new(*pagefile.Damage)) {
			t.Errorf("byte %d changed: %v", i, err)
		}
		if _, out, whole, err := pagefile.Repair(spoiled, pagefile.ID{}); err != nil || !whole || !bytes.Equal(out, data) {
			t.Errorf("byte %d changed: not mended: %v, %v", i, whole, err)
		}
	}
	for n := range len(data) {
		if _, err := pagefile.Open(data[:n]); !errors.As(err, new(*pagefile.Damage)) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
}

// random returns a file of so many bytes of a section, and the section.
func random(t *testing.T, rnd *rand.Rand, size int) (data, section []byte) {
	t.Helper()
	section = make([]byte, 0, size+8)
	for len(section) < size {
		section = binary.LittleEndian.AppendUint64(section, rnd.Uint64())
	}
	section = section[:size]
	return write(t, section), section
}

// Whatever size a file has, a stretch of damage over one page is mended, over as
// many pages as there are stripes too, and a few bytes too many or too few anywhere.
func TestRepair(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	rounds := 150
	if testing.Short() {
		rounds = 30
	}
	for range rounds {
		pages := []int{0, 1, 2, 3, 5, 20, 63, 64, 65, 130, 257, 300}[rnd.IntN(12)]
		data, section := random(t, rnd, max(0, pages*pagefile.PageSize-8+rnd.IntN(5)-2))
		at := rnd.IntN(len(data))
		spoiled, what := bytes.Clone(data), ""
		switch rnd.IntN(6) {
		case 0:
			what = "zeros"
			clear(spoiled[at/pagefile.PageSize*pagefile.PageSize:][:min(pagefile.PageSize, len(data)-at/pagefile.PageSize*pagefile.PageSize)])
			if pages <= 1 {
				continue // the parity may be in the same page
			}
		case 1:
			what = "too many"
			spoiled = slices.Insert(spoiled, at, section[:min(len(section), 1+rnd.IntN(100))]...)
		case 2:
			what = "too few"
			if pages == 0 {
				continue
			}
			spoiled = slices.Delete(spoiled, at, min(at+1+rnd.IntN(100), len(data)))
		case 3:
			what = "some behind"
			spoiled = append(spoiled, section[:min(len(section), rnd.IntN(10_000))]...)
		case 4:
			what = "cut"
			spoiled = spoiled[:len(data)-1-rnd.IntN(60)]
		case 5:
			what = "a burst"
			if pages < 300 {
				continue
			}
			at = rnd.IntN(200) * pagefile.PageSize
			clear(spoiled[at : at+16*pagefile.PageSize])
		}
		f, out, whole, err := pagefile.Repair(spoiled, pagefile.ID{})
		if err != nil || !whole || !bytes.Equal(out, data) {
			t.Errorf("%d pages, %s at %d of %d: not mended: %v, %v", pages, what, at, len(data), whole, err)
			continue
		}
		if s, _ := f.Section(0, 7); f.Verify(t.Context()) != nil {
			t.Errorf("%d pages, %s: not whole", pages, what)
		} else if got, err := s.All(); err != nil || !bytes.Equal(got, section) {
			t.Errorf("%d pages, %s: another section, %v", pages, what, err)
		}
	}
}

// Where more is damaged than can be mended, the other pages can be read.
func TestRepairOfTooMuch(t *testing.T) {
	t.Parallel()
	data, section := random(t, rand.New(rand.NewPCG(3, 4)), 100*pagefile.PageSize)
	for _, page := range []int{10, 14, 60} { // of one stripe, and another
		data[page*pagefile.PageSize+50]++
	}
	f, _, whole, err := pagefile.Repair(data, pagefile.ID{})
	if err != nil || whole {
		t.Fatalf("whole %v, %v", whole, err)
	}
	s, _ := f.Section(0, 7)
	for page := 1; page < 99; page++ {
		off := page*pagefile.PageSize - 8
		got, err := s.Bytes(uint64(off), pagefile.PageSize)
		lost := page == 10 || page == 14
		if lost != (err != nil) || !lost && !bytes.Equal(got, section[off:off+pagefile.PageSize]) {
			t.Errorf("page %d: %v", page, err)
		}
	}
}

// What was written before a checkpoint is found when the rest is lost.
func TestCheckpoint(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := pagefile.NewWriter(&out, 77)
	w.Begin(1, 0)
	w.Write(bytes.Repeat([]byte("before"), 2_000))
	before := int(w.Size())
	w.Checkpoint()
	after := int(w.Size())
	w.Begin(2, 0)
	w.Write(bytes.Repeat([]byte("after"), 2_000))
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	data := out.Bytes()
	if f, err := pagefile.Open(data); err != nil || f.Verify(t.Context()) != nil {
		t.Fatal(err)
	}
	for n := before; n < len(data); n += 101 {
		f, _, whole, err := pagefile.Repair(bytes.Clone(data[:n]), w.ID())
		if n < after {
			if err == nil {
				t.Errorf("cut to %d: no error", n)
			}
			continue
		}
		if err != nil || whole && n < after+10_000 {
			t.Fatalf("cut to %d: %v %v", n, whole, err)
		}
		s, ok := f.Section(1, 0)
		if got, err := s.All(); !ok || err != nil || string(got[:6]) != "before" || len(got) != 12_000 {
			t.Errorf("cut to %d: %v %v", n, ok, err)
		}
	}
}

// No two files have an ID in common, and Repair takes only the one it is told.
func TestID(t *testing.T) {
	t.Parallel()
	a, b := write(t, []byte("a")), write(t, []byte("b"))
	f, err := pagefile.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	g, err := pagefile.Open(b)
	if err != nil {
		t.Fatal(err)
	}
	if f.ID() == g.ID() || f.ID().Index != 77 || g.ID().Index != 77 {
		t.Errorf("%v and %v", f.ID(), g.ID())
	}
	if _, _, _, err := pagefile.Repair(bytes.Clone(a), g.ID()); !errors.As(err, new(*pagefile.Damage)) {
		t.Errorf("another file: %v", err)
	}
	// One file behind another: it is found.
	if _, out, whole, err := pagefile.Repair(append(bytes.Clone(a), b...), f.ID()); err != nil || !whole || !bytes.Equal(out, a) {
		t.Errorf("with another behind it: %v, %v", whole, err)
	}
}

// A file that is written over or cut while it is open is noticed.
func TestChanged(t *testing.T) {
	t.Parallel()
	a, b := write(t, []byte("a")), write(t, []byte("b"))
	f, err := pagefile.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Changed(); err != nil {
		t.Error(err)
	}
	copy(a, b)
	if err := f.Changed(); !errors.As(err, new(*pagefile.Damage)) {
		t.Errorf("written over: %v", err)
	}
}

func TestNewerVersion(t *testing.T) {
	t.Parallel()
	data := write(t, []byte("one"))
	data[len(data)-28]++
	reseal(data)
	if _, err := pagefile.Open(data); !errors.Is(err, pagefile.ErrVersion) {
		t.Error(err)
	}
	if _, _, _, err := pagefile.Repair(data, pagefile.ID{}); !errors.Is(err, pagefile.ErrVersion) {
		t.Error(err)
	}
}

// reseal makes the checksum of the last footer right.
func reseal(data []byte) {
	if len(data) < 40 {
		return
	}
	if n := binary.LittleEndian.Uint32(data[len(data)-32:]); n >= 4 && uint64(n) <= uint64(len(data)) {
		sum := crc32.Checksum(data[len(data)-int(n):len(data)-4], crc32.MakeTable(crc32.Castagnoli))
		binary.LittleEndian.PutUint32(data[len(data)-4:], sum)
	}
}

func FuzzOpen(f *testing.F) {
	var out bytes.Buffer
	w := pagefile.NewWriter(&out, 77)
	w.Begin(1, 0)
	w.Write([]byte("hello"))
	w.Checkpoint()
	w.Finish()
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		data = bytes.Clone(data)
		reseal(data) // so that what is behind the checksum is read
		if file, err := pagefile.Open(data); err == nil {
			file.Verify(t.Context())
			if s, ok := file.Section(1, 0); ok {
				s.All()
			}
		}
		if file, _, whole, err := pagefile.Repair(data, pagefile.ID{}); err == nil {
			if s, ok := file.Section(1, 0); ok {
				s.All()
			}
			if err := file.Verify(t.Context()); whole && err != nil {
				t.Error(err)
			}
		}
	})
}
