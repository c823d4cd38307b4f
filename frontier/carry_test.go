package frontier_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/frontier/frontiertest"
)

// copied is a Disk of which all that it writes down is kept, besides an export of now and then.
type copied struct {
	*mortal
	*tape
}

// tape is what is kept of a frontier, which may have been opened several times.
type tape struct {
	mu     sync.Mutex
	export []byte
	parts  []frontier.LogPart
	fail   error
}

func (c *tape) take(p frontier.LogPart) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fail != nil {
		return c.fail
	}
	for i, rec := range p.Records {
		p.Records[i] = bytes.Clone(rec)
	}
	c.parts = append(c.parts, p)
	return nil
}

// all is over the parts, each of which comes twice.
func (c *tape) all() iter.Seq2[frontier.LogPart, error] {
	parts := slices.Clone(c.parts)
	return func(yield func(frontier.LogPart, error) bool) {
		for _, p := range parts {
			for range 2 {
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}

func (c *tape) reader() io.Reader {
	if c.export == nil {
		return nil
	}
	return bytes.NewReader(c.export)
}

// keep exports a frontier, after which most parts are needed no more.
func (c *tape) keep(t *testing.T, f frontier.Frontier) {
	t.Helper()
	c.mu.Lock()
	n := len(c.parts)
	c.mu.Unlock()
	var b bytes.Buffer
	x, ok := frontier.As[frontier.Exporter](f)
	if !ok {
		t.Fatal("no Exporter")
	}
	if err := x.Export(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	c.export = b.Bytes()
	c.mu.Lock()
	c.parts = c.parts[n:]
	c.mu.Unlock()
}

// TestExportAgainstModel carries a frontier to another folder time and again, be it by
// an export alone or by one and what was written down since: it answers as one that stays.
func TestExportAgainstModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(rounds(diskSeeds())) {
		least := []int64{1 << 30, 500}[seed%2]
		open := func(t *testing.T, dir string, opt frontier.Options, x *tape) *copied {
			opt.Copy = x.take
			return &copied{openMortalSeeded(t, dir, opt, least, seed+1), x}
		}
		maker := frontiertest.Maker{
			Open: func(t *testing.T, opt frontier.Options) frontier.Frontier {
				return open(t, scratch(t), opt, &tape{})
			},
			Reopen: func(t *testing.T, f frontier.Frontier, opt frontier.Options) frontier.Frontier {
				c := f.(*copied)
				now := time.Now().UnixMilli()
				if now%3 == 0 {
					c.keep(t, c)
				}
				if now%4 == 0 {
					if err := c.Close(); err != nil {
						t.Error(err)
					}
				} else {
					c.kill()
				}
				dir := scratch(t)
				if err := frontier.Import(dir, c.reader(), c.all()); err != nil {
					t.Fatal(err)
				}
				return open(t, dir, opt, c.tape)
			},
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) { frontiertest.Random(t, maker, seed, 120) })
	}
}

// TestExportWhileBusy exports while others add and visit: what was acknowledged before the
// export is in it, and what was never added is not.
func TestExportWhileBusy(t *testing.T) {
	t.Parallel()
	opt := frontier.Options{Limits: frontier.Limits{Delay: -1, PerHost: -1, PerDomain: -1}, SyncEvery: -1}
	d, err := frontier.OpenTuned(scratch(t), opt, 2000)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var mu sync.Mutex
	added, done := map[string]bool{}, map[string]bool{}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				url := fmt.Sprintf("http://h%d.test/%d", n%7, n*3+w)
				if _, err := d.Add(t.Context(), frontier.Request{URL: url}); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				added[url] = true
				mu.Unlock()
				if n%2 == 0 {
					continue
				}
				l, err := d.Next(t.Context())
				if err == nil {
					err = d.Done(t.Context(), l, frontier.Outcome{})
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				done[l.URL] = true
				mu.Unlock()
			}
		})
	}
	for range rounds(5) {
		mu.Lock()
		before, ended := maps.Clone(added), maps.Clone(done)
		mu.Unlock()
		var b bytes.Buffer
		if err := d.Export(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		dir := scratch(t)
		if err := frontier.Import(dir, &b, nil); err != nil {
			t.Fatal(err)
		}
		c, err := frontier.OpenTuned(dir, opt, 2000)
		if err != nil {
			t.Fatal(err)
		}
		for {
			l, err := c.Next(t.Context())
			if errors.Is(err, frontier.ErrDrained) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if ended[l.URL] {
				t.Fatalf("%s is visited again", l.URL)
			}
			if err := c.Done(t.Context(), l, frontier.Outcome{}); err != nil {
				t.Fatal(err)
			}
		}
		for url := range before {
			if n, err := c.Add(t.Context(), frontier.Request{URL: url}); n != 0 || err != nil {
				t.Fatalf("%s was not known: %v", url, err)
			}
		}
		if s, _ := c.Stats(t.Context()); s.Seen < len(before) || s.Done != s.Seen {
			t.Fatalf("%d were added before, the copy has %+v", len(before), s)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	wg.Wait()
}

// TestExportedLease: a lease that was out when the frontier was exported is offered again by the
// copy, and its Done is refused there.
func TestExportedLease(t *testing.T) {
	t.Parallel()
	d := openDisk(t, t.TempDir(), frontier.Options{})
	d.Add(t.Context(), urls("http://a.test/1")...)
	l, err := d.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := d.Export(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() // which is empty
	if err := frontier.Import(dir, &b, nil); err != nil {
		t.Fatal(err)
	}
	c := openDisk(t, dir, frontier.Options{})
	again, err := c.Next(t.Context())
	if err != nil || again.URL != l.URL || again.Attempt != 1 {
		t.Fatalf("%+v, %v", again, err)
	}
	if err := c.Done(t.Context(), l, frontier.Outcome{}); !errors.Is(err, frontier.ErrLeaseExpired) {
		t.Errorf("Done of the lease before: %v", err)
	}
	if err := c.Done(t.Context(), again, frontier.Outcome{}); err != nil {
		t.Error(err)
	}
	if err := d.Done(t.Context(), l, frontier.Outcome{}); err != nil {
		t.Errorf("Done where it was exported from: %v", err)
	}
}

// TestImportRefusesDamage: of an export with a byte changed, cut short, or with something behind
// it, nothing is taken, and the folder is as it was.
func TestImportRefusesDamage(t *testing.T) {
	t.Parallel()
	d, err := frontier.OpenTuned(scratch(t), frontier.Options{SyncEvery: -1}, 500)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for n := range 40 {
		d.Add(t.Context(), urls(fmt.Sprintf("http://h%d.test/%d", n%3, n))...)
	}
	d.Compact()
	d.Add(t.Context(), urls("http://late.test/")...)
	var b bytes.Buffer
	if err := d.Export(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	good, dir := b.Bytes(), filepath.Join(scratch(t), "frontier")
	check := func(what string, b []byte) {
		t.Helper()
		err := frontier.Import(dir, bytes.NewReader(b), nil)
		if !errors.Is(err, frontier.ErrCorrupt) && !errors.Is(err, frontier.ErrVersion) {
			t.Errorf("%s: %v", what, err)
		}
		if left, _ := os.ReadDir(filepath.Dir(dir)); len(left) > 0 {
			t.Fatalf("%s: left %v", what, left)
		}
	}
	step := len(good) / 150
	if testing.Short() {
		step *= 10
	}
	step |= 1
	for n := 0; n < len(good); n += step {
		bad := bytes.Clone(good)
		bad[n] ^= 1 << (n % 8)
		check(fmt.Sprintf("byte %d changed", n), bad)
		check(fmt.Sprintf("cut at %d", n), good[:n])
	}
	check("something behind it", append(bytes.Clone(good), 0))
	if err := frontier.Import(dir, bytes.NewReader(good), nil); err != nil {
		t.Fatal(err)
	}
	if err := frontier.Import(dir, bytes.NewReader(good), nil); err == nil {
		t.Error("imported over a frontier")
	}
	c := openDisk(t, dir, frontier.Options{})
	if s, _ := c.Stats(t.Context()); s.Queued != 41 {
		t.Errorf("%+v", s)
	}
}

// TestImportRefusesGaps: parts of the log are missing.
func TestImportRefusesGaps(t *testing.T) {
	t.Parallel()
	c := &tape{}
	d, err := frontier.OpenTuned(scratch(t), frontier.Options{Copy: c.take}, 300)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 30 {
		d.Add(t.Context(), urls(fmt.Sprintf("http://h%d.test/%d", n%3, n))...)
	}
	d.Settle()
	d.Close()
	for gap := range len(c.parts) - 1 {
		some := slices.Delete(slices.Clone(c.parts), gap, gap+1)
		err := frontier.Import(scratch(t), nil, (&tape{parts: some}).all())
		if !errors.Is(err, frontier.ErrCorrupt) {
			t.Errorf("without part %d of %d: %v", gap, len(c.parts), err)
		}
	}
}

// TestCopyFails: a frontier whose copy takes no more stops with the cause, and what was
// acknowledged is in the copy.
func TestCopyFails(t *testing.T) {
	t.Parallel()
	c := &tape{}
	d := openDisk(t, scratch(t), frontier.Options{Copy: c.take})
	if _, err := d.Add(t.Context(), urls("http://a.test/1")...); err != nil {
		t.Fatal(err)
	}
	cause := errors.New("somebody else has it")
	c.mu.Lock()
	c.fail = cause
	c.mu.Unlock()
	if _, err := d.Add(t.Context(), urls("http://a.test/2")...); !errors.Is(err, cause) {
		t.Errorf("Add: %v", err)
	}
	if _, err := d.Next(t.Context()); !errors.Is(err, cause) {
		t.Errorf("Next: %v", err)
	}
	dir := scratch(t)
	if err := frontier.Import(dir, nil, c.all()); err != nil {
		t.Fatal(err)
	}
	e := openDisk(t, dir, frontier.Options{})
	if s, _ := e.Stats(t.Context()); s.Queued != 1 || s.Seen != 1 {
		t.Errorf("%+v", s)
	}
}

// TestExportIsCancelled: a cancelled export ends with its cause, a failing writer with its error,
// and the frontier goes on.
func TestExportIsCancelled(t *testing.T) {
	t.Parallel()
	d := openDisk(t, scratch(t), frontier.Options{})
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := d.Export(ctx, io.Discard); !errors.Is(err, cause) {
		t.Errorf("cancelled: %v", err)
	}
	r, w := io.Pipe()
	r.CloseWithError(cause)
	if err := d.Export(t.Context(), w); !errors.Is(err, cause) {
		t.Errorf("a writer that fails: %v", err)
	}
	if n, err := d.Add(t.Context(), urls("http://a.test/1")...); n != 1 || err != nil {
		t.Errorf("Add: %d, %v", n, err)
	}
	d.Close()
	if err := d.Export(t.Context(), io.Discard); !errors.Is(err, frontier.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// TestImportExample reads the example of docs/formats/frontier-export.md: its sums are right,
// and what is in the file is no log.
func TestImportExample(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/formats/frontier-export.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "## Example")
	var b []byte
	for line := range strings.Lines(example) {
		fields := strings.Fields(strings.ReplaceAll(line, "|", ""))
		if !strings.HasPrefix(line, "    ") || len(fields) == 0 || fields[0] != fmt.Sprintf("%02d", len(b)) {
			continue
		}
		for _, x := range fields[1:] {
			n, err := strconv.ParseUint(x, 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			b = append(b, byte(n))
		}
	}
	dir := filepath.Join(scratch(t), "frontier")
	if err := frontier.Import(dir, bytes.NewReader(b), nil); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "log-000001")); string(got) != "hi" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := frontier.Open(dir, frontier.Options{}); !errors.Is(err, frontier.ErrCorrupt) {
		t.Errorf("Open: %v", err)
	}
}
