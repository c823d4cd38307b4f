package durable_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/webquarry/quarry/internal/durable"
	"github.com/webquarry/quarry/internal/faultfs"
)

// openDir opens a folder that is closed at the end of the test.
func openDir(t *testing.T, path string, hook ...durable.Hook) *durable.Dir {
	t.Helper()
	d, err := durable.Open(path, hook...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// records reads a log back and closes it without leaving a trace in the list.
func records(d *durable.Dir, name string) (recs []string, err error) {
	l, err := durable.OpenLog(d, name, func(rec []byte) error {
		recs = append(recs, string(rec))
		return nil
	})
	if err != nil {
		return recs, err
	}
	return recs, l.Close()
}

// writeLog makes a log of records of growing length.
func writeLog(t *testing.T, d *durable.Dir, name string, n int, close bool) (want []string) {
	t.Helper()
	l, err := durable.OpenLog(d, name, func([]byte) error { return errors.New("the log is not new") })
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		rec := strings.Repeat(fmt.Sprint(i%10), 1+i*i)
		want = append(want, rec)
		if err := errors.Join(l.Append([]byte(rec)), l.Sync()); err != nil {
			t.Fatal(err)
		}
	}
	if close {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	} else {
		t.Cleanup(func() { l.Close() })
	}
	return want
}

func TestLogKeepsRecordsInOrder(t *testing.T) {
	t.Parallel()
	d := openDir(t, t.TempDir())
	want := writeLog(t, d, "log", 20, true)
	l, err := durable.OpenLog(d, "log", func([]byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Append([]byte("two"), []byte("at once")); err != nil {
		t.Fatal(err)
	}
	size := l.Size()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if err := l.Append([]byte("x")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Append after Close: %v", err)
	}
	got, err := records(d, "log")
	if want = append(want, "two", "at once"); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %d records, %v, want %d", len(got), err, len(want))
	}
	st, err := os.Stat(filepath.Join(d.Path(), "log"))
	if err != nil || st.Size() <= size {
		t.Errorf("file has %d bytes, %v, want more than %d", st.Size(), err, size)
	}
	again := st.Size()
	if _, err := records(d, "log"); err != nil {
		t.Fatal(err)
	}
	if st, _ = os.Stat(filepath.Join(d.Path(), "log")); st.Size() != again {
		t.Errorf("opening and closing made the file grow from %d to %d bytes", again, st.Size())
	}
}

func TestLogRefusesEmptyAndHugeRecords(t *testing.T) {
	t.Parallel()
	l, err := durable.OpenLog(openDir(t, t.TempDir()), "log", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, n := range []int{0, durable.MaxRecord + 1} {
		if err := l.Append(make([]byte, n)); err == nil {
			t.Errorf("a record of %d bytes was taken", n)
		}
	}
}

func TestLogReturnsErrorOfReplay(t *testing.T) {
	t.Parallel()
	d := openDir(t, t.TempDir())
	writeLog(t, d, "log", 3, true)
	no := errors.New("no")
	if _, err := durable.OpenLog(d, "log", func([]byte) error { return no }); err != no {
		t.Errorf("got %v", err)
	}
}

// TestLogTruncated cuts a log at every length: what is whole is read back.
func TestLogTruncated(t *testing.T) {
	t.Parallel()
	for _, closed := range []bool{true, false} {
		d := openDir(t, t.TempDir())
		want := writeLog(t, d, "log", 6, closed)
		whole, err := os.ReadFile(filepath.Join(d.Path(), "log"))
		if err != nil {
			t.Fatal(err)
		}
		before := 0
		for n := range len(whole) + 1 {
			cut := openDir(t, t.TempDir())
			os.WriteFile(filepath.Join(cut.Path(), "log"), whole[:n], 0o644)
			got, err := records(cut, "log")
			if n < 20 {
				if !errors.Is(err, durable.ErrCorrupt) {
					t.Fatalf("header of %d bytes: %v", n, err)
				}
				continue
			}
			if err != nil || len(got) < before || !slices.Equal(got, want[:len(got)]) {
				t.Fatalf("cut at %d of %d: %d records, %v", n, len(whole), len(got), err)
			}
			before = len(got)
			// What was cut must not stand in the way of what comes.
			appendOne(t, cut, "log", "more")
			if again, err := records(cut, "log"); err != nil || !slices.Equal(again, append(got, "more")) {
				t.Fatalf("cut at %d, then appended: %d records, %v", n, len(again), err)
			}
		}
		if before != len(want) {
			t.Errorf("the whole log has %d records, want %d", before, len(want))
		}
	}
}

func appendOne(t *testing.T, d *durable.Dir, name, rec string) {
	t.Helper()
	l, err := durable.OpenLog(d, name, func([]byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Append([]byte(rec)), l.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestLogFlipped flips every byte of a closed log: it is refused, or, for the
// mark at its end, reads as before.
func TestLogFlipped(t *testing.T) {
	t.Parallel()
	d := openDir(t, t.TempDir())
	want := writeLog(t, d, "log", 6, true)
	path := filepath.Join(d.Path(), "log")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		for _, bits := range []byte{0x01, 0x80, 0xff} {
			b := slices.Clone(whole)
			b[i] ^= bits
			os.WriteFile(path, b, 0o644)
			got, err := records(d, "log")
			if i >= len(whole)-8 {
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("byte %d of the mark: %d records, %v", i, len(got), err)
				}
				continue
			}
			ce, ok := errors.AsType[*durable.CorruptError](err)
			if !ok || ce.File != path || ce.Offset > int64(i) || !errors.Is(err, durable.ErrCorrupt) {
				t.Fatalf("byte %d: %d records, error %v", i, len(got), err)
			}
			if after, _ := os.ReadFile(path); !slices.Equal(after, b) {
				t.Fatalf("byte %d: the refused log was changed", i)
			}
		}
	}
}

// TestLogFaults makes every operation of a log's life fail, once or for good.
// What Append took must be there again, and at most the record that it refused.
func TestLogFaults(t *testing.T) {
	t.Parallel()
	for kind, faults := range map[string]func(func(*faultfs.Fault) bool){"fail": faultfs.Fails(), "crash": faultfs.Crashes()} {
		for f := range faults {
			dir := t.TempDir()
			took := logLife(dir, f)
			got, err := records(openDir(t, dir), "log")
			if err != nil {
				t.Fatalf("%s %d: %v", kind, f.Ops(), err)
			}
			if !slices.Equal(got, took) {
				t.Fatalf("%s, operation %d: log has %q, took %q", kind, f.Ops(), got, took)
			}
		}
	}
}

// logLife opens and fills a log twice and returns what was acknowledged.
func logLife(dir string, f *faultfs.Fault) (took []string) {
	d, err := durable.Open(dir, f.Hook)
	if err != nil {
		return nil
	}
	defer d.Close()
	for life := range 2 {
		l, err := durable.OpenLog(d, "log", func([]byte) error { return nil })
		if err != nil {
			continue
		}
		for i := range 4 {
			rec := fmt.Sprintf("%d/%d%s", life, i, strings.Repeat(".", 10*i))
			if l.Append([]byte(rec)) == nil {
				took = append(took, rec)
			}
			l.Sync()
		}
		l.Close()
	}
	return took
}

// TestLogFullDisk fills the disk: what was taken is kept, the log still opens.
func TestLogFullDisk(t *testing.T) {
	t.Parallel()
	for room := 0; room < 300; room += 7 {
		dir := t.TempDir()
		f := faultfs.Full(room)
		took := logLife(dir, f)
		got, err := records(openDir(t, dir), "log")
		if err != nil || !slices.Equal(got, took) {
			t.Fatalf("room %d: log has %q, %v; took %q", room, got, err, took)
		}
	}
}

// TestLogShared appends and syncs from many goroutines.
func TestLogShared(t *testing.T) {
	t.Parallel()
	count := faultfs.Fail(0)
	d := openDir(t, t.TempDir(), count.Hook)
	l, err := durable.OpenLog(d, "log", nil)
	if err != nil {
		t.Fatal(err)
	}
	const workers, each = 16, 20
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				if err := errors.Join(l.Append(fmt.Appendf(nil, "%d %d", w, i)), l.Sync()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := records(d, "log")
	if err != nil || len(got) != workers*each {
		t.Fatalf("%d records, %v", len(got), err)
	}
	next := make([]int, workers)
	for _, rec := range got {
		var w, i int
		fmt.Sscan(rec, &w, &i)
		if next[w] != i {
			t.Fatalf("record %q out of order", rec)
		}
		next[w]++
	}
}

// TestLogPowerCut loses power at every operation: what Sync acknowledged is there,
// and what else is there comes after it, in order.
func TestLogPowerCut(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		dir := t.TempDir()
		p := faultfs.PowerCut(dir, n)
		synced := unsyncedLife(dir, p.Hook)
		if err := p.Lose(); err != nil {
			t.Fatal(err)
		}
		got, err := records(openDir(t, dir), "log")
		if err != nil {
			t.Fatalf("operation %d: %v", n, err)
		}
		if len(got) < synced {
			t.Fatalf("operation %d: %d records, %d were synced", n, len(got), synced)
		}
		for i, rec := range got {
			if rec != fmt.Sprint("record ", i) {
				t.Fatalf("operation %d: record %d is %q", n, i, rec)
			}
		}
		if !p.Fired() {
			return
		}
	}
}

// unsyncedLife appends records, syncs after every third, and returns how many
// were synced.
func unsyncedLife(dir string, hook durable.Hook) (synced int) {
	d, err := durable.Open(dir, hook)
	if err != nil {
		return 0
	}
	defer d.Close()
	l, err := durable.OpenLog(d, "log", nil)
	if err != nil {
		return 0
	}
	defer l.Close()
	for i := range 10 {
		if l.Append(fmt.Append(nil, "record ", i)) != nil {
			return synced
		}
		if i%3 == 2 && l.Sync() == nil {
			synced = i + 1
		}
	}
	return synced
}

// TestLogAfterFailedSync takes nothing more: nobody knows what the disk has.
func TestLogAfterFailedSync(t *testing.T) {
	t.Parallel()
	fail := false
	d := openDir(t, t.TempDir(), func(op durable.Op) error {
		if fail && op.Kind == "sync" {
			return errors.New("broken")
		}
		return nil
	})
	l, err := durable.OpenLog(d, "log", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Append([]byte("x")); err != nil {
		t.Fatal(err)
	}
	fail = true
	first := l.Sync()
	fail = false
	if first == nil || !errors.Is(l.Sync(), first) || !errors.Is(l.Append([]byte("y")), first) {
		t.Errorf("the sync failed with %v, the log goes on", first)
	}
}

func TestReadLog(t *testing.T) {
	t.Parallel()
	d := openDir(t, t.TempDir())
	want := writeLog(t, d, "closed", 5, true)
	writeLog(t, d, "open", 5, false)
	var got []string
	read := func(name string) error {
		got = nil
		return durable.ReadLog(d, name, func(rec []byte) error {
			got = append(got, string(rec))
			return nil
		})
	}
	if err := read("closed"); err != nil || !slices.Equal(got, want) {
		t.Errorf("closed log: %d records, %v", len(got), err)
	}
	if err := read("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no log: %v", err)
	}
	if ce, ok := errors.AsType[*durable.CorruptError](read("open")); !ok || ce.File != filepath.Join(d.Path(), "open") {
		t.Errorf("log that was not closed: %v", ce)
	}
	whole, err := d.ReadFile("closed")
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if err := os.WriteFile(filepath.Join(d.Path(), "cut"), whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if err := read("cut"); !errors.Is(err, durable.ErrCorrupt) {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if after, _ := d.ReadFile("cut"); len(after) != n {
			t.Fatalf("cut at %d: reading changed the file", n)
		}
	}
}

// TestReplayNamesThePlace has a replay that finds a record wrong.
func TestReplayNamesThePlace(t *testing.T) {
	t.Parallel()
	d := openDir(t, t.TempDir())
	writeLog(t, d, "log", 3, true)
	n := 0
	replay := func([]byte) error {
		if n++; n%2 == 0 {
			return &durable.CorruptError{Err: errors.New("no record of ours")}
		}
		return nil
	}
	_, err := durable.OpenLog(d, "log", replay)
	n = 0
	for _, err := range []error{err, durable.ReadLog(d, "log", replay)} {
		ce, ok := errors.AsType[*durable.CorruptError](err)
		if !ok || ce.File != filepath.Join(d.Path(), "log") || ce.Offset != 29 {
			t.Errorf("got %v, want offset 29", err)
		}
	}
}
