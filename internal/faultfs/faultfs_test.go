package faultfs_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/webquarry/quarry/internal/durable"
	"github.com/webquarry/quarry/internal/faultfs"
)

// write does five operations in a folder: create, write, write, sync, remove.
func write(t *testing.T, dir string, f *faultfs.Fault) (failed []int) {
	t.Helper()
	d, err := durable.Open(dir, f.Hook)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	file, err := d.Create("file")
	if err != nil {
		return []int{1}
	}
	defer file.Close()
	_, err2 := file.Write([]byte("0123456789"))
	_, err3 := file.Write([]byte("abcdefghij"))
	for i, err := range []error{err2, err3, file.Sync(), d.Remove("none")} {
		if errors.Is(err, faultfs.ErrInjected) || errors.Is(err, syscall.ENOSPC) {
			failed = append(failed, i+2)
		}
	}
	return failed
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name   string
		f      *faultfs.Fault
		failed int
		left   string
	}{
		{"none", faultfs.Fail(0), 0, "0123456789abcdefghij"},
		{"fail 2", faultfs.Fail(2), 1, "abcdefghij"},
		{"crash 2", faultfs.Crash(2), 4, "01234"},
		{"crash 3", faultfs.Crash(3), 3, "0123456789abcde"},
		{"full 13", faultfs.Full(13), 1, "0123456789abc"},
	} {
		dir := t.TempDir()
		failed := write(t, dir, x.f)
		b, err := os.ReadFile(filepath.Join(dir, "file"))
		if err != nil || len(failed) != x.failed || string(b) != x.left || x.f.Ops() != 5 || x.f.Fired() != (x.failed > 0) {
			t.Errorf("%s: failed %v, left %q, %v, %d operations", x.name, failed, b, err, x.f.Ops())
		}
	}
}

func TestEveryOperationFailsOnce(t *testing.T) {
	t.Parallel()
	rounds := 0
	for f := range faultfs.Fails() {
		rounds++
		if failed := write(t, t.TempDir(), f); rounds <= 5 && (len(failed) != 1 || failed[0] != rounds) {
			t.Errorf("round %d: failed %v", rounds, failed)
		}
	}
	if rounds != 6 {
		t.Errorf("%d rounds, want 5 and one without a fault", rounds)
	}
}

// TestPowerCut writes two files and loses power at each operation: what was
// synced is there, and nothing else.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "old"), []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
		p := faultfs.PowerCut(dir, n)
		d, err := durable.Open(dir, p.Hook)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"old": "old"}
		old, err := d.OpenAppend("old") // 1
		if err == nil {
			old.Write([]byte("+1")) // 2
			if old.Sync() == nil {  // 3
				want["old"] = "old+1"
			}
			old.Write([]byte("+2")) // 4
			old.Close()
		}
		if d.Replace("new", []byte("new")) == nil { // 5 to 9
			want["new"] = "new"
		}
		if f, err := d.Create("unnamed"); err == nil { // 10
			f.Write([]byte("x"))
			f.Sync()
			f.Close()
		}
		d.Close()
		if err := p.Lose(); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got[filepath.Base(file)] = string(b)
		}
		if !maps.Equal(got, want) {
			t.Errorf("power cut at operation %d left %v, want %v", n, got, want)
		}
		if !p.Fired() {
			break
		}
	}
}
