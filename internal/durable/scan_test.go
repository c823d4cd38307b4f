package durable

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// powerCut builds a log of eight records, of which the first two were synced
// when the others were written, and the first five when the last was.
func powerCut() (b []byte, starts []int64) {
	b = appendHeader(nil, 7)
	var synced int64 = headerSize
	for i := range 8 {
		if i == 2 || i == 7 {
			synced = int64(len(b))
			if i == 7 {
				synced = starts[5]
			}
		}
		starts = append(starts, int64(len(b)))
		b = appendFrame(b, 7, int64(len(b)), synced, fmt.Appendf(nil, "record %d", i))
	}
	return b, append(starts, int64(len(b)))
}

// TestPowerCut destroys one frame of an unsynced or synced part, in several
// ways, and looks what is made of it.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	destroy := map[string]func([]byte){
		"zeros":   func(b []byte) { clear(b) },
		"garbage": func(b []byte) { fill(rnd, b) },
		"ones":    func(b []byte) { copy(b, bytes.Repeat([]byte{0xff}, len(b))) },
	}
	for name, f := range destroy {
		for bad := range 8 {
			b, starts := powerCut()
			f(b[starts[bad]:starts[bad+1]])
			var recs []string
			s, err := scanLog(bytes.NewReader(b), int64(len(b)), collect(&recs))
			if damage := bad < 5; damage != errors.Is(err, ErrCorrupt) {
				t.Errorf("%s in frame %d: error %v, want damage: %v", name, bad, err, damage)
			}
			if s.end != starts[bad] || len(recs) != bad {
				t.Errorf("%s in frame %d: %d records up to %d, want up to %d", name, bad, len(recs), s.end, starts[bad])
			}
		}
	}
}

func fill(rnd *rand.Rand, b []byte) {
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
}

// TestLongTail looks for proof of damage beyond more than a window of garbage,
// where the frames lie on either side of the window's end.
func TestLongTail(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	garbage := make([]byte, window+50)
	fill(rnd, garbage)
	for shift := 0; shift < 60; shift += 10 {
		b := appendFrame(appendHeader(nil, 7), 7, headerSize, headerSize, []byte("first"))
		bad := int64(len(b))
		b = append(b, garbage[:window-30+shift]...)
		torn := slices.Clone(b)
		b = appendFrame(b, 7, int64(len(b)), int64(len(b)), []byte("last"))
		if _, err := scanLog(bytes.NewReader(b), int64(len(b)), func([]byte) error { return nil }); !errors.Is(err, ErrCorrupt) {
			t.Errorf("shift %d: damage before a good frame gives %v", shift, err)
		}
		s, err := scanLog(bytes.NewReader(torn), int64(len(torn)), func([]byte) error { return nil })
		if err != nil || s.end != bad {
			t.Errorf("shift %d: torn tail gives end %d, %v, want %d", shift, s.end, err, bad)
		}
	}
}

// TestFrameMoved puts a frame elsewhere and into another log.
func TestFrameMoved(t *testing.T) {
	t.Parallel()
	b := appendFrame(nil, 7, 20, 20, []byte("record"))
	for _, x := range []struct {
		salt   uint64
		offset int64
		good   bool
	}{{7, 20, true}, {7, 21, false}, {8, 20, false}} {
		f, ok := readFrame(b, x.salt, x.offset)
		if good := ok && f.holds(b[f.head:]); good != x.good {
			t.Errorf("salt %d, offset %d: good is %v", x.salt, x.offset, good)
		}
	}
}

// FuzzScanLog reads arbitrary bytes as a log. Whatever they are, reading the
// part that was called good again must give the same records and no error.
func FuzzScanLog(f *testing.F) {
	f.Add(exampleLog())
	cut, _ := powerCut()
	f.Add(cut)
	f.Add(append(cut[:90:90], make([]byte, 40)...))
	f.Add(appendHeader(nil, 1))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		var recs []string
		s, err := scanLog(bytes.NewReader(b), int64(len(b)), collect(&recs))
		if err != nil && !errors.Is(err, ErrCorrupt) {
			t.Fatalf("damage not called damage: %v", err)
		}
		if s.end == 0 {
			return
		}
		var again []string
		twice, err := scanLog(bytes.NewReader(b[:s.end]), s.end, collect(&again))
		if err != nil || twice != s || !slices.Equal(recs, again) {
			t.Fatalf("read again: %+v %v, first %+v", twice, err, s)
		}
		// A mark may be appended where the good part ended.
		more := appendFrame(b[:s.end:s.end], s.salt, s.end, s.end, nil)
		if m, err := scanLog(bytes.NewReader(more), int64(len(more)), func([]byte) error { return nil }); err != nil || !m.marked {
			t.Fatalf("with a mark: %+v %v", m, err)
		}
	})
}
