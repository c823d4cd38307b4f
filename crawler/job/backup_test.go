package job_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler/job"
)

// TestBackup: a job that is backed up while it runs goes on elsewhere from that moment, with every page once,
// and the run itself loses nothing.
func TestBackup(t *testing.T) {
	t.Parallel()
	prices := map[string]string{}
	for i := range 60 {
		prices[fmt.Sprintf("k%03d", i)] = "€" + fmt.Sprint(i+1)
	}
	text := strings.Replace(spec, "pace: {delay: 0s}", "pace: {delay: 5ms, workers: 4, per-host: 4}", 1)
	opt := job.Options{Transport: web(t, shop(prices))}
	j := open(t, create(t, text), opt)
	ended := make(chan error, 1)
	go func() { ended <- j.Run(t.Context()) }()
	var copies []string
	for i := range 3 {
		for j.Status().Run.Pages.New < 8+i*15 {
			select {
			case err := <-ended:
				t.Fatalf("it ended before backup %d: %v", i, err)
			case <-time.After(2 * time.Millisecond): // pages come over a real clock, as syncs do
			}
		}
		to := filepath.Join(t.TempDir(), "copy")
		if err := j.Backup(t.Context(), to, nil); err != nil {
			t.Fatal(err)
		}
		copies = append(copies, to)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := table(t, j); len(got) != len(prices) {
		t.Errorf("the run that was held up has %d records", len(got))
	}
	for i, dir := range copies {
		k := open(t, dir, opt)
		before := len(table(t, k))
		if err := k.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := table(t, k); before == 0 || before == len(prices) || len(got) != len(prices) {
			t.Errorf("copy %d: %d records, and %d in the end", i, before, len(got))
		}
		lines, err := os.ReadFile(filepath.Join(dir, "pages.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(lines), "\n"); n != len(prices)+1 {
			t.Errorf("copy %d: %d pages were written, want each once", i, n)
		}
		if err := k.Recrawl(t.Context()); err != nil || k.Status().Run.Pages.Same != len(prices)+1 {
			t.Errorf("copy %d: recrawl: %v, %+v", i, err, k.Status().Run.Pages)
		}
	}
}

// TestBackupAtRest: also of a job that does not run, with folders that others copy; into a folder that has
// something nothing is copied, and half a backup is no job.
func TestBackupAtRest(t *testing.T) {
	t.Parallel()
	opt := job.Options{Transport: web(t, shop(map[string]string{"a": "€1"}))}
	j := open(t, create(t, spec), opt)
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(j.Dir(), "console", "index")
	if err := os.MkdirAll(own, 0o755); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "copy")
	copied := ""
	err := j.Backup(t.Context(), to, map[string]job.Copier{"console/index": func(_ context.Context, from, to string) error { copied = from; return os.Mkdir(to, 0o755) }})
	if err != nil || copied != own {
		t.Fatalf("%v, %q", err, copied)
	}
	if err := j.Backup(t.Context(), to, nil); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("%v", err)
	}
	k := open(t, to, opt)
	if err := k.Recrawl(t.Context()); err != nil || k.Status().Run.Pages.Same != 2 || k.Status().Run.Number != 2 {
		t.Errorf("%v, %+v", err, k.Status().Run)
	}
	half := filepath.Join(t.TempDir(), "half")
	broken := errors.New("the disk is full")
	if err := j.Backup(t.Context(), half, map[string]job.Copier{"console": func(context.Context, string, string) error { return broken }}); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if _, err := job.Open(half, opt); !errors.Is(err, job.ErrMissing) {
		t.Errorf("half a backup: %v", err)
	}
	if err := j.Recrawl(t.Context()); err != nil {
		t.Errorf("a run after a backup that failed: %v", err)
	}
}
