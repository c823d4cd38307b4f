package pagefile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"

	"github.com/webquarry/quarry/index/internal/pagefile"
)

func write(t *testing.T, parts ...[]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := pagefile.NewWriter(&out)
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

// Every changed byte is noticed, and where it is.
func TestFlippedBytes(t *testing.T) {
	t.Parallel()
	data := write(t, []byte("one"), bytes.Repeat([]byte("x"), 70_000))
	for i := range data {
		if i > 100 && i < 69_900 && i%97 != 0 && (i < 65_500 || i > 65_600) {
			continue
		}
		data[i] ^= 0x10
		f, err := pagefile.Open(data)
		if err == nil {
			err = f.Verify(t.Context())
		}
		if !errors.As(err, new(*pagefile.Damage)) {
			t.Errorf("byte %d changed: %v", i, err)
		}
		data[i] ^= 0x10
	}
	for n := range len(data) {
		if _, err := pagefile.Open(data[:n]); !errors.As(err, new(*pagefile.Damage)) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
}

func TestNewerVersion(t *testing.T) {
	t.Parallel()
	for _, at := range []int{16, 12} { // features, version
		data := write(t, []byte("one"))
		data[len(data)-at] += 2
		foot := binary.LittleEndian.Uint64(data[len(data)-24:])
		sum := crc32.Checksum(data[foot:len(data)-4], crc32.MakeTable(crc32.Castagnoli))
		binary.LittleEndian.PutUint32(data[len(data)-4:], sum)
		if _, err := pagefile.Open(data); !errors.Is(err, pagefile.ErrVersion) {
			t.Errorf("%d from the end: %v", at, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	var out bytes.Buffer
	w := pagefile.NewWriter(&out)
	w.Begin(1, 0)
	w.Write([]byte("hello"))
	w.Finish()
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		// Make the checksum right, so that what is behind it is read.
		if len(data) >= 24 {
			data = bytes.Clone(data)
			if foot := binary.LittleEndian.Uint64(data[len(data)-24:]); foot < uint64(len(data)-4) {
				sum := crc32.Checksum(data[foot:len(data)-4], crc32.MakeTable(crc32.Castagnoli))
				binary.LittleEndian.PutUint32(data[len(data)-4:], sum)
			}
		}
		file, err := pagefile.Open(data)
		if err != nil {
			return
		}
		file.Verify(t.Context())
		if s, ok := file.Section(1, 0); ok {
			s.All()
		}
	})
}
