package faultfs_test

import (
	"errors"
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
