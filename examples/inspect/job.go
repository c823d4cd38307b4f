package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/webquarry/quarry/crawler/job"
)

// checkJob says how a job stands, and checks what is in its folder: the spec, the history, the
// frontier, archives and indexes.
func checkJob(ctx context.Context, path string, _ []string, out io.Writer) error {
	var bad []error
	text, err := os.ReadFile(filepath.Join(path, "job.yaml"))
	if err == nil {
		_, err = job.Parse(text)
	}
	if err != nil {
		bad = append(bad, fmt.Errorf("job.yaml: %w", err))
	}
	runs, err := job.Runs(path)
	if err != nil {
		bad = append(bad, fmt.Errorf("%w; without this file the history begins anew, and nothing else is lost", err))
	}
	fmt.Fprintf(out, "job %s: %d runs\n", path, len(runs))
	for _, r := range runs[max(len(runs)-5, 0):] {
		p := r.Pages
		fmt.Fprintf(out, "  run %d, %s, %s: %d new, %d changed, %d same, %d gone, %d moved, %d records %s\n", r.Number, r.Began.Format("2006-01-02 15:04"), r.State, p.New, p.Changed, p.Same, p.Gone, p.Moved, p.Records, r.Error)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return errors.Join(append(bad, err)...)
	}
	bad = append(bad, checkBelow(ctx, path, entries, out)...)
	return errors.Join(bad...)
}

// checkBelow checks the folders of a job, and those within them.
func checkBelow(ctx context.Context, path string, entries []os.DirEntry, out io.Writer) (bad []error) {
	for _, e := range entries {
		at := filepath.Join(path, e.Name())
		if !e.IsDir() || e.Name() == "frontier.next" || e.Name() == "frontier.old" {
			continue
		}
		kind, err := kindOf(at)
		if err != nil {
			if within, err := os.ReadDir(at); err == nil {
				bad = append(bad, checkBelow(ctx, at, within, out)...)
			}
			continue
		}
		if kind == isJob {
			continue
		}
		if err := commands(kind)["check"].do(ctx, at, nil, out); err != nil {
			bad = append(bad, err)
		}
	}
	return bad
}

// backupJob copies a job that does not run.
func backupJob(ctx context.Context, path string, args []string, out io.Writer) error {
	j, err := job.Open(path, job.Options{})
	if errors.Is(err, job.ErrLocked) {
		return fmt.Errorf("%w; a job that runs is backed up by its own program, as by crawl -job FILE -backup DIR", err)
	}
	if err != nil {
		return err
	}
	if err := errors.Join(j.Backup(ctx, args[0], nil), j.Close()); err != nil {
		return err
	}
	fmt.Fprintf(out, "backed up in %s\n", args[0])
	return nil
}
