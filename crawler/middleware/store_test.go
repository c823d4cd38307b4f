package middleware

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestStores: both keep what fits, and forget what was not used for longest.
func TestStores(t *testing.T) {
	t.Parallel()
	const limit = 20_000
	disk, err := OpenDisk(t.TempDir(), limit)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	memory := NewMemory(limit)
	for name, s := range map[string]Store{"memory": memory, "disk": disk} {
		put := func(key string, n int) {
			if err := s.Put(key, []byte(strings.Repeat("x", n))); err != nil {
				t.Fatal(err)
			}
		}
		size := func(key string) int {
			b, err := s.Get(key)
			if err != nil {
				t.Fatal(err)
			}
			return len(b)
		}
		put("a", 1000)
		put("a", 2000)
		put("b", 10)
		put("b", 0)
		put("large", limit/8)
		if size("a") != 2000 || size("b") != 0 || size("c") != 0 || size("large") != 0 {
			t.Errorf("%s: %d, %d, %d, %d bytes", name, size("a"), size("b"), size("c"), size("large"))
		}
		for i := range 100 {
			put(fmt.Sprint("k", i), 1000)
			size("a")
		}
		n := 0
		for i := range 100 {
			if size(fmt.Sprint("k", i)) > 0 {
				n++
			}
		}
		if size("a") != 2000 || size("k99") != 1000 || n < 10 || n > 20 {
			t.Errorf("%s: %d of 100 are left, a has %d bytes", name, n, size("a"))
		}
	}
	if memory.used.total > limit || disk.used.total > limit || len(memory.value) != len(memory.used.at) {
		t.Errorf("%d and %d bytes", memory.used.total, disk.used.total)
	}
}

func files(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all = append(all, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestDiskDamaged: a file that a crash left torn, or that was changed, at any
// byte, is not there; what it holds otherwise is.
func TestDiskDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d, err := OpenDisk(dir, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.Put("key", []byte("value")); err != nil {
		t.Fatal(err)
	}
	all := files(t, dir)
	if len(all) != 1 {
		t.Fatalf("files %q", all)
	}
	whole, err := os.ReadFile(all[0])
	if err != nil {
		t.Fatal(err)
	}
	damaged := [][]byte{nil, append(whole, 'x')}
	for i := range whole {
		flipped := append([]byte(nil), whole...)
		flipped[i] ^= 1
		damaged = append(damaged, whole[:i], flipped)
	}
	for _, b := range damaged {
		if err := os.WriteFile(all[0], b, 0o644); err != nil {
			t.Fatal(err)
		}
		if v, err := d.Get("key"); v != nil || err != nil {
			t.Fatalf("%x gives %q, %v", b, v, err)
		}
		if left := files(t, dir); len(left) != 0 {
			t.Fatalf("files %q", left)
		}
	}
	if err := d.Put("key", []byte("again")); err != nil {
		t.Fatal(err)
	}
	if v, _ := d.Get("key"); string(v) != "again" {
		t.Errorf("%q", v)
	}
}

// TestDiskOpenedAgain: it knows what it holds, and obeys a smaller limit.
func TestDiskOpenedAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d, err := OpenDisk(dir, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	var puts sync.WaitGroup
	for i := range 40 {
		puts.Go(func() {
			if err := d.Put(fmt.Sprint(i), make([]byte, 800)); err != nil {
				t.Error(err)
			}
		})
	}
	puts.Wait()
	d.Close()
	if again, err := OpenDisk(dir, 1<<20); err != nil || len(again.used.at) != 40 || again.used.total != d.used.total {
		t.Fatalf("%+v, %v", again, err)
	}
	small, err := OpenDisk(dir, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	if n := len(files(t, dir)); n != len(small.used.at) || n < 8 || n > 10 {
		t.Errorf("%d files, %d known", n, len(small.used.at))
	}
}

func FuzzDiskFile(f *testing.F) {
	f.Add(encodeFile("key", []byte("value")))
	f.Add([]byte("short"))
	f.Fuzz(func(t *testing.T, b []byte) {
		key, value, ok := parseFile(b)
		if ok && string(encodeFile(key, value)) != string(b) {
			t.Errorf("%x is taken for %q, %q", b, key, value)
		}
	})
}
