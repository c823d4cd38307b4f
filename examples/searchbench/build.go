package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
)

// fieldName is the one field of the index.
const fieldName = "text"

// budget is about how many bytes are gathered before a segment is written.
const budget = 256 << 20

// buildOptions say how an index is made.
type buildOptions struct {
	threads  int
	merge    bool   // into one segment
	analyzer string // its name
}

func buildEnv(env func(string) string) buildOptions {
	o := buildOptions{threads: runtime.GOMAXPROCS(0), merge: env("SB_MERGE") == "1", analyzer: env("SB_ANALYZER")}
	if n, err := strconv.Atoi(env("SB_THREADS")); err == nil && n > 0 {
		o.threads = n
		runtime.GOMAXPROCS(n)
	}
	if o.analyzer == "" {
		o.analyzer = asciiName
	}
	return o
}

// analyzers are those that may be named.
func analyzers() map[string]analysis.Analyzer {
	return map[string]analysis.Analyzer{
		asciiName:  asciiWords{},
		"standard": analysis.Standard{},
		"english":  &analysis.English{},
	}
}

// build makes an index of a corpus.
func build(ctx context.Context, o buildOptions, corpus, dir string, out io.Writer) (err error) {
	file, err := os.Open(corpus)
	if err != nil {
		return err
	}
	defer file.Close()
	ix, err := index.Open(dir, index.Options{
		Schema:       index.Schema{{Name: fieldName, Analyzer: o.analyzer}},
		Analyzers:    analyzers(),
		MemoryBudget: budget,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	w, err := ix.Writer()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if err := addAll(ctx, w, file, o.threads); err != nil {
		return fmt.Errorf("%s: %w", corpus, err)
	}
	if err := w.Commit(ctx); err != nil {
		return err
	}
	settling := time.Now()
	if o.merge {
		if err := w.Merge(ctx); err != nil {
			return err
		}
	}
	s := w.Stats()
	_, err = fmt.Fprintf(out, "settle_s=%.3f\ndocs=%d\nflushes=%d\nmerges=%d\n", time.Since(settling).Seconds(), s.Added, s.Flushes, s.Merges)
	return err
}

// addAll adds the documents of a corpus, on so many goroutines.
func addAll(ctx context.Context, w *index.Writer, corpus io.Reader, threads int) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	type numbered struct {
		number int
		line   *[]byte
	}
	work := make(chan numbered, 4*threads)
	var group sync.WaitGroup
	var free buffers
	for range threads {
		group.Go(func() {
			var r reader
			for l := range work {
				d, err := r.read(*l.line)
				free.Put(l.line)
				if err == nil {
					err = w.Add(ctx, index.Document{Key: d.key, Fields: []index.Field{{Name: fieldName, Value: d.text}}})
				}
				if err != nil {
					stop(fmt.Errorf("line %d: %w", l.number, err))
				}
			}
		})
	}
	err := lines(corpus, func(number int, line []byte) error {
		select {
		case work <- numbered{number, free.take(line)}:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	close(work)
	group.Wait()
	return cmp.Or(context.Cause(ctx), err)
}
