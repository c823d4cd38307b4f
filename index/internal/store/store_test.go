package store_test

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"testing"

	"github.com/webquarry/quarry/index/internal/store"
	"github.com/webquarry/quarry/internal/durable"
)

func places(t *testing.T) map[string]store.Place {
	t.Helper()
	disk, err := store.OpenDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { disk.Close() })
	return map[string]store.Place{"disk": disk, "memory": store.NewMemory()}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	for name, p := range places(t) {
		f, err := p.Create("a")
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte("one "))
		f.Write([]byte("two"))
		if err := errors.Join(f.Sync(), f.Close(), p.Publish("b", []byte("three")), p.Publish("b", nil)); err != nil {
			t.Fatal(err)
		}
		if got, err := p.List(); err != nil || !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		m, err := p.Map("a")
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Remove("a"); err != nil {
			t.Error(err)
		}
		if string(m.Bytes) != "one two" {
			t.Errorf("%s: removed while mapped: %q", name, m.Bytes)
		}
		if err := errors.Join(m.Close(), m.Close()); err != nil {
			t.Error(err)
		}
		if empty, err := p.Map("b"); err != nil || len(empty.Bytes) != 0 || empty.Close() != nil {
			t.Errorf("%s: empty: %v", name, err)
		}
		if _, err := p.Map("a"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a removed file: %v", name, err)
		}
		lock, err := p.Lock("lock")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Lock("lock"); !errors.Is(err, durable.ErrLocked) {
			t.Errorf("%s: locked twice: %v", name, err)
		}
		lock.Close()
		if lock, err = p.Lock("lock"); err != nil {
			t.Errorf("%s: unlocked: %v", name, err)
		}
		lock.Close()
	}
}

func TestSpool(t *testing.T) {
	t.Parallel()
	for name, p := range places(t) {
		for _, n := range []int{0, 1000, 9_000_000} {
			want := bytes.Repeat([]byte("0123456789"), n/10)
			s := store.NewSpool(p, "spool")
			for rest := want; len(rest) > 0; rest = rest[min(70_001, len(rest)):] {
				s.Write(rest[:min(70_001, len(rest))])
			}
			var got bytes.Buffer
			if err := s.CopyTo(&got); err != nil || !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%s: %d of %d bytes, %v", name, got.Len(), n, err)
			}
			s = store.NewSpool(p, "spool")
			s.Write(want)
			if err := errors.Join(s.Discard(), s.Discard()); err != nil {
				t.Error(err)
			}
			if left, _ := p.List(); slices.Contains(left, "spool") {
				t.Errorf("%s: the file is left", name)
			}
		}
	}
}
