package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/webquarry/quarry/crawler/warc"
	"github.com/webquarry/quarry/frontier"
)

// archiveFiles are the files of an archive, in the order of their names.
func archiveFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	var all []string
	for _, pattern := range []string{"*.warc", "*.warc.gz", "*.warc.zst", "*.arc", "*.arc.gz"} {
		found, err := filepath.Glob(filepath.Join(escaped(path), pattern))
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.Sort(all)
	return all, nil
}

// records calls do with each record, and joins what is damaged.
func records(ctx context.Context, path string, do func(*warc.Record) error) error {
	files, err := archiveFiles(path)
	if err != nil {
		return err
	}
	var bad []error
	for _, name := range files {
		r, err := warc.Open(name)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		for rec, err := range r.Records() {
			if ctx.Err() != nil {
				return errors.Join(context.Cause(ctx), r.Close())
			}
			if err == nil {
				err = do(rec)
			}
			if err != nil {
				bad = append(bad, err)
			}
		}
		bad = append(bad, r.Close())
	}
	return errors.Join(bad...)
}

// checkArchive reads all records, and holds them against their digests.
func checkArchive(ctx context.Context, path string, _ []string, out io.Writer) error {
	n, kinds := 0, map[string]int{}
	err := records(ctx, path, func(r *warc.Record) error {
		n++
		kinds[r.Type]++
		return r.Verify()
	})
	fmt.Fprintf(out, "archive %s: %d records", path, n)
	for _, kind := range []string{warc.Response, warc.Request, warc.Revisit, warc.Metadata, warc.Resource} {
		if kinds[kind] > 0 {
			fmt.Fprintf(out, ", %d %s", kinds[kind], kind)
		}
	}
	fmt.Fprintln(out)
	return err
}

func list(ctx context.Context, path string, _ []string, out io.Writer) error {
	return records(ctx, path, func(r *warc.Record) error {
		fmt.Fprintf(out, "%s\t%s\t%s\t%d bytes\t%s at %d\n", r.Date.Format(time.DateTime), r.Type, r.URL, r.Size, filepath.Base(r.File), r.Offset)
		return nil
	})
}

// body writes the last body that was fetched from a URL.
func body(ctx context.Context, path string, args []string, out io.Writer) error {
	files, err := archiveFiles(path)
	if err != nil {
		return err
	}
	a, err := warc.OpenArchive(files...)
	if err != nil {
		return err
	}
	f := &warc.Fetcher{Archive: a}
	resp, err := f.Fetch(ctx, frontier.Request{URL: args[0]})
	if err != nil {
		return err
	}
	if resp.Status != 200 {
		return fmt.Errorf("%s: the archive has status %d", args[0], resp.Status)
	}
	_, err = out.Write(resp.Body)
	return err
}
