package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	quarryjob "github.com/webquarry/quarry/crawler/job"
	"github.com/webquarry/quarry/crawler/progress"
)

// spec is a crawl that a file describes, see docs/guides/jobs.md.
type spec struct {
	file           string // empty: the flags describe the crawl
	recrawl, serve bool
	backup         string        // folder of copies; empty: none
	every          time.Duration // between two of them
}

func (s *spec) flags(fs *flag.FlagSet) {
	fs.StringVar(&s.file, "job", "", "run the crawl that this YAML `file` describes, in the folder of -dir; see docs/guides/jobs.md")
	fs.BoolVar(&s.recrawl, "recrawl", false, "with -job: visit all pages again that are known, and tell which are new, changed and gone")
	fs.StringVar(&s.backup, "backup", "", "with -job: copy the job now and then, while it runs, to folders in this `folder` that are called by the time; each goes on by itself")
	fs.DurationVar(&s.every, "backup-every", 24*time.Hour, "with -backup: how often")
	fs.BoolVar(&s.serve, "serve", false, "with -job: go on, and have pages come again as the job says, by its schedule or every so often")
}

// check refuses what does not go with a file that says it all.
func (s *spec) check(fs *flag.FlagSet, dir string, urls []string) error {
	if s.file == "" {
		if s.recrawl || s.serve || s.backup != "" {
			return errors.New("-recrawl, -serve and -backup are for a -job")
		}
		return nil
	}
	var err error
	fs.Visit(func(f *flag.Flag) {
		if !slices.Contains([]string{"job", "recrawl", "serve", "dir", "backup", "backup-every"}, f.Name) {
			err = fmt.Errorf("-%s does not go with -job: the file says it", f.Name)
		}
	})
	switch {
	case err != nil:
		return err
	case s.every <= 0:
		return errors.New("-backup-every must be more than 0")
	case dir == "":
		return errors.New("-job needs -dir, the folder that the job is kept in")
	case len(urls) > 0:
		return errors.New("-job takes no URLs: the file has the seeds")
	}
	return nil
}

// run runs the job, which is made in the folder if there is none.
func (s *spec) run(ctx context.Context, dir string, stderr io.Writer) error {
	text, err := os.ReadFile(s.file)
	if err != nil {
		return fmt.Errorf("-job: %w", err)
	}
	if _, err := quarryjob.Parse(text); err != nil {
		return fmt.Errorf("-job: %s: %w", s.file, err)
	}
	if err := quarryjob.Create(dir, text); err != nil && !errors.Is(err, quarryjob.ErrExists) {
		return fmt.Errorf("-dir: %w", err)
	}
	j, err := quarryjob.Open(dir, quarryjob.Options{Log: slog.Default()})
	if err != nil {
		return fmt.Errorf("-dir: %w", err)
	}
	defer j.Close()
	if err := j.SetSpec(text); err != nil {
		return err
	}
	if s.backup != "" {
		within, stop := context.WithCancel(ctx)
		var copies sync.WaitGroup
		copies.Go(func() { s.copies(within, j, stderr) })
		defer copies.Wait()
		defer stop()
	}
	end := progress.Show(stderr, func() string { return "crawl: " + stateOf(j.Status()) })
	switch {
	case s.serve:
		err = j.Serve(ctx, s.recrawl)
	case s.recrawl:
		err = j.Recrawl(ctx)
	default:
		err = j.Run(ctx)
	}
	end()
	if last, jerr := json.Marshal(j.Status().Run); jerr == nil {
		fmt.Fprintf(stderr, "%s\n", last)
	}
	return errors.Join(err, j.Close())
}

// copies copies the job every so often.
func (s *spec) copies(ctx context.Context, j *quarryjob.Job, stderr io.Writer) {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		to := filepath.Join(s.backup, time.Now().UTC().Format("20060102T150405.000Z"))
		if err := j.Backup(ctx, to, nil); err != nil && ctx.Err() == nil {
			slog.Error("backup", "to", to, "err", err)
			fmt.Fprintf(stderr, "crawl: -backup: %v\n", err) // the crawl goes on
		}
	}
}

// stateOf is how a job stands, in a few words.
func stateOf(s quarryjob.Status) string {
	p := s.Run.Pages
	line := fmt.Sprintf("run %d %s: %d new, %d changed, %d same, %d gone, %d records", s.Run.Number, s.Run.State, p.New, p.Changed, p.Same, p.Gone+p.Moved, p.Records)
	if s.Live != nil {
		line += fmt.Sprintf(", %d waiting, %d under way", s.Live.Queue.Due, s.Live.Queue.Leased)
	}
	return line
}
