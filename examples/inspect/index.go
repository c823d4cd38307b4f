package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/webquarry/quarry/index"
)

// withSnapshot opens the last commit of an index for a while.
func withSnapshot(path string, do func(*index.Snapshot) error) error {
	ix, err := index.Open(path, index.Options{})
	if err == nil {
		var s *index.Snapshot
		if s, err = ix.Snapshot(); err == nil {
			err = errors.Join(do(s), s.Close())
		}
		err = errors.Join(err, ix.Close())
	}
	if errors.Is(err, index.ErrCorrupt) {
		return fmt.Errorf("%w; inspect %s salvage TO saves what can be read", err, path)
	}
	return err
}

// checkIndex counts what an index holds, and reads all of its files.
func checkIndex(ctx context.Context, path string, _ []string, out io.Writer) error {
	return withSnapshot(path, func(s *index.Snapshot) error {
		st, err := s.Stats()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "index %s: commit %d, %d documents, %d deleted, %d segments, %d bytes\n", path, st.Generation, st.Docs, st.Deleted, st.Segments, st.Bytes)
		for _, f := range s.Schema() {
			fmt.Fprintf(out, "  %s: %s", f.Name, f.Kind)
			if f.Analyzer != "" {
				fmt.Fprintf(out, " (%s)", f.Analyzer)
			}
			for _, fs := range st.Fields {
				if fs.Name == f.Name {
					fmt.Fprintf(out, ", %d terms in all, %.1f a document", fs.Tokens, fs.AvgLen)
				}
			}
			fmt.Fprintln(out)
		}
		if err := s.Verify(ctx); err != nil {
			return err
		}
		fmt.Fprintln(out, "  every byte is as it was written")
		return nil
	})
}

func terms(ctx context.Context, path string, args []string, out io.Writer) error {
	prefix := ""
	if len(args) > 1 {
		prefix = args[1]
	}
	return withSnapshot(path, func(s *index.Snapshot) error {
		if _, ok := s.Schema().Field(args[0]); !ok {
			return fmt.Errorf("there is no field %q", args[0])
		}
		all := s.Terms(ctx, args[0], index.TermOptions{Prefix: prefix})
		for term, docs := range all.All() {
			fmt.Fprintf(out, "%s\t%d\n", term, docs)
		}
		return all.Err()
	})
}

func document(_ context.Context, path string, args []string, out io.Writer) error {
	return withSnapshot(path, func(s *index.Snapshot) error {
		d, ok, err := s.Document(args[0])
		if err == nil && !ok {
			err = fmt.Errorf("there is no document %q", args[0])
		}
		if err != nil {
			return err
		}
		for _, f := range d.Fields {
			fmt.Fprintf(out, "%s\t%s\n", f.Name, strings.ReplaceAll(fmt.Sprint(f.Value), "\n", " "))
		}
		return nil
	})
}

func backupIndex(ctx context.Context, path string, args []string, out io.Writer) error {
	return withSnapshot(path, func(s *index.Snapshot) error {
		if err := s.Backup(ctx, args[0]); err != nil {
			return err
		}
		fmt.Fprintf(out, "%d documents of commit %d are in %s\n", s.Docs(), s.Generation(), args[0])
		return nil
	})
}

func salvage(ctx context.Context, path string, args []string, out io.Writer) error {
	s, err := index.Salvage(ctx, path, args[0], index.Options{})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d documents are in %s\n", s.Docs, args[0])
	for _, d := range s.Damage {
		fmt.Fprintln(out, "  damage:", d)
	}
	for _, key := range s.Lost {
		fmt.Fprintln(out, "  lost:", key)
	}
	if s.Unknown > 0 {
		fmt.Fprintf(out, "  lost, and their keys too: %d\n", s.Unknown)
	}
	for _, key := range s.Incomplete {
		fmt.Fprintln(out, "  without what is not stored:", key)
	}
	if s.NoCommit {
		fmt.Fprintln(out, "  the commit is lost: deleted documents may be back")
	}
	return nil
}
