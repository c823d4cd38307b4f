package seen

import (
	"encoding/binary"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/edsrzf/mmap-go"

	"github.com/webquarry/quarry/internal/durable"
)

// makeSet makes a folder with a set of one run.
func makeSet(t testing.TB, keys int) (path string, m model) {
	path, m = t.TempDir(), model{}
	dir, err := durable.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir, Options{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	fps := make([]uint64, keys)
	for i := range fps {
		fps[i] = uint64(i) * 7
	}
	m.add(t, s, fps)
	s.Freeze(9)
	if err := errors.Join(s.Commit(t.Context()), s.Close(), dir.Close()); err != nil {
		t.Fatal(err)
	}
	return path, m
}

// ask opens a set, looks for all keys of a model and, by hand, merges the runs.
func ask(t testing.TB, path string, m model) error {
	s, err := tryOpen(t, path)
	if err != nil {
		return err
	}
	defer s.Close()
	fps := slices.Collect(maps.Keys(m))
	known := make([]bool, len(fps))
	if err := s.Has(fps, known); err != nil {
		return err
	}
	if slices.Contains(known, false) || s.Len() != len(m) || s.Mark() != 9 {
		t.Errorf("wrong answers: %d keys, mark %d", s.Len(), s.Mark())
	}
	n := 0
	for _, r := range s.tier.runs {
		if err := eachKey([]*run{r}, s.goOn, func(uint64) error { n++; return nil }); err != nil {
			return err
		}
	}
	if n != len(m) {
		t.Errorf("%d keys read, want %d", n, len(m))
	}
	return nil
}

// TestEveryByteFlipped damages each byte of each file in turn.
func TestEveryByteFlipped(t *testing.T) {
	t.Parallel()
	path, m := makeSet(t, 100)
	if err := ask(t, path, m); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{manifestName, runName(1)} {
		good, err := os.ReadFile(filepath.Join(path, name))
		if err != nil {
			t.Fatal(err)
		}
		for i := range good {
			bad := slices.Clone(good)
			bad[i] ^= 1 << (i % 8)
			if err := os.WriteFile(filepath.Join(path, name), bad, 0o644); err != nil {
				t.Fatal(err)
			}
			err := ask(t, path, m)
			ce, ok := errors.AsType[*durable.CorruptError](err)
			if !ok || filepath.Base(ce.File) != name || ce.Offset > int64(i) {
				t.Errorf("%s with another byte %d: %v", name, i, err)
			}
		}
		if err := os.WriteFile(filepath.Join(path, name), good, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCutAndLost cuts files short, makes them longer, and takes them away.
func TestCutAndLost(t *testing.T) {
	t.Parallel()
	path, m := makeSet(t, 100)
	for _, name := range []string{manifestName, runName(1)} {
		file := filepath.Join(path, name)
		good, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range [][]byte{nil, good[:1], good[:len(good)/2], good[:len(good)-1], append(slices.Clone(good), 0)} {
			if err := os.WriteFile(file, bad, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := ask(t, path, m); !errors.Is(err, durable.ErrCorrupt) {
				t.Errorf("%s of %d bytes: %v", name, len(bad), err)
			}
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		err = ask(t, path, m)
		if name == manifestName && !errors.Is(err, durable.ErrCorrupt) || name != manifestName && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s missing: %v", name, err)
		}
		if err := os.WriteFile(file, good, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := ask(t, path, m); err != nil {
		t.Fatal(err)
	}
}

// TestOtherVersion is not damage.
func TestOtherVersion(t *testing.T) {
	t.Parallel()
	for _, name := range []string{manifestName, runName(1)} {
		path, m := makeSet(t, 100)
		file := filepath.Join(path, name)
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		part := b
		if name != manifestName {
			part = b[len(b)-footerSize:]
		}
		part[8] = 2
		appendSum(part[:len(part)-sumSize])
		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := ask(t, path, m); !errors.Is(err, ErrVersion) || errors.Is(err, durable.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDamageStopsMerging finds a damaged block when runs are merged, and says so
// to the next who adds; the files stay as they were.
func TestDamageStopsMerging(t *testing.T) {
	t.Parallel()
	path, m := makeSet(t, 500)
	file := filepath.Join(path, runName(1))
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b[100] ^= 1
	if err := os.WriteFile(file, b, 0o644); err != nil {
		t.Fatal(err)
	}
	s := openSet(t, path)
	damaged := s.tier.runs[0].filter
	next := uint64(1 << 40)
	for mark := range uint64(3) {
		var fps []uint64
		for ; len(fps) < 500; next++ {
			if damaged.pass(mix(next)) == 0 { // spare the damaged block
				fps = append(fps, next)
			}
		}
		m.add(t, s, fps)
		s.Freeze(10 + mark)
		if err := s.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.settle()
	if _, err := s.AddOne(t.Context(), 1<<50); !errors.Is(err, durable.ErrCorrupt) {
		t.Errorf("after a merge of a damaged run: %v", err)
	}
	s.Close()
	b[100] ^= 1
	if err := os.WriteFile(file, b, 0o644); err != nil {
		t.Fatal(err)
	}
	s = openSet(t, path)
	m.compare(t, s)
}

// TestLeftovers removes files that no manifest names, and no others.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	path, m := makeSet(t, 100)
	ours := []string{runName(2), runName(1234567), "seen.tmp"}
	others := []string{"seen-1", "seen-00000x", "seen-000001.bak", "notes.txt"}
	for _, name := range slices.Concat(ours, others) {
		if err := os.WriteFile(filepath.Join(path, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := ask(t, path, m); err != nil {
		t.Fatal(err)
	}
	for _, name := range ours {
		if _, err := os.Stat(filepath.Join(path, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range others {
		if _, err := os.Stat(filepath.Join(path, name)); err != nil {
			t.Error(err)
		}
	}
}

// reseal gives the bytes of a run good sums, so that what is behind them is read.
func reseal(b []byte) {
	if len(b) < footerSize {
		return
	}
	end := b[len(b)-footerSize:]
	copy(end, runMagic)
	binary.LittleEndian.PutUint32(end[8:], version)
	number := binary.LittleEndian.Uint32(end[12:])
	n := int(min(binary.LittleEndian.Uint64(end[24:]), uint64((len(b)-footerSize)/blockSize)))
	for i := range n {
		x := (*[blockSize]byte)(b[i*blockSize:])
		binary.LittleEndian.PutUint32(x[blockSize-sumSize:], blockSum(x, number, i))
	}
	binary.LittleEndian.PutUint32(end[32:], sumOf(b[n*blockSize:len(b)-footerSize]))
	appendSum(end[:footerSize-sumSize])
}

func sumOf(b []byte) uint32 { return binary.LittleEndian.Uint32(appendSum(slices.Clone(b))[len(b):]) }

// FuzzRun reads any bytes as a run, with sums as they are and with good ones.
func FuzzRun(f *testing.F) {
	path, m := makeSet(f, 100)
	good, err := os.ReadFile(filepath.Join(path, runName(1)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[blockSize:])
	dir, err := durable.Open(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	defer dir.Close()
	f.Fuzz(func(t *testing.T, b []byte) {
		reseal(b)
		if err := os.WriteFile(filepath.Join(dir.Path(), runName(1)), b, 0o644); err != nil {
			t.Fatal(err)
		}
		e := entry{number: 1, size: int64(len(b))}
		if len(b) >= footerSize {
			e.keys = int(binary.LittleEndian.Uint64(b[len(b)-footerSize+16:]))
		}
		r, err := openRun(dir, e)
		if err != nil {
			if !errors.Is(err, durable.ErrCorrupt) {
				t.Errorf("open: %v", err)
			}
			return
		}
		defer r.close()
		for fp := range m {
			var q query
			q.load([]uint64{fp})
			if err := q.run(r, make(lately, 1)); err != nil && !errors.Is(err, durable.ErrCorrupt) {
				t.Errorf("look: %v", err)
			}
		}
		err = eachKey([]*run{r}, func() error { return nil }, func(uint64) error { return nil })
		if err != nil && !errors.Is(err, durable.ErrCorrupt) {
			t.Errorf("read: %v", err)
		}
	})
}

// FuzzManifest reads any bytes as a manifest; what it takes, it writes the same.
func FuzzManifest(f *testing.F) {
	f.Add(manifest{}.encode())
	f.Add(manifest{mark: 7, runs: []entry{{1, 5000, 100}, {4, 1 << 40, 1 << 30}}}.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= sumSize {
			b = appendSum(b[:len(b)-sumSize])
		}
		m, err := decodeManifest(b)
		if err == nil && string(m.encode()) != string(b) {
			t.Errorf("%x is written as %x", b, m.encode())
		}
	})
}

// TestBlockThatCannotBeRead cuts a file whose blocks are read.
func TestBlockThatCannotBeRead(t *testing.T) {
	t.Parallel()
	path, m := makeSet(t, 500)
	s := openSet(t, path)
	unmap(t, s)
	if err := os.Truncate(filepath.Join(path, runName(1)), blockSize/2); err != nil {
		t.Fatal(err)
	}
	for fp := range m {
		_, err := s.HasOne(fp)
		if ce, ok := errors.AsType[*durable.CorruptError](err); !ok || filepath.Base(ce.File) != runName(1) {
			t.Fatalf("got %v", err)
		}
	}
}

// TestMappingThatCannotBeGivenUp: its blocks are read, and Close says why.
func TestMappingThatCannotBeGivenUp(t *testing.T) {
	t.Parallel()
	path, m := makeSet(t, 500)
	s := openSet(t, path)
	unmap(t, s)
	s.tier.runs[0].blocks = make(mmap.MMap, blockSize) // nobody mapped it
	if n := s.tier.runs[0].setMapped(0); n != 0 {
		t.Errorf("%d bytes mapped", n)
	}
	for fp := range m {
		if ok, err := s.HasOne(fp); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	if err := s.Close(); err == nil {
		t.Error("nothing said")
	}
}
