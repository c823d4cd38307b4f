package job

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/webquarry/quarry/crawler"
)

// Records is over the records that the job has taken out of pages, as they are in its file
// of records, or else in that of pages; a job without either has none: of each page that is still there what it said last, in the order in which
// that was written. It reads the file twice, and keeps a number for each page.
func (j *Job) Records(ctx context.Context) iter.Seq2[Row, error] {
	spec, _ := j.Spec()
	name := cmp.Or(spec.Output.Records, spec.Output.Pages)
	if name == "" {
		return func(func(Row, error) bool) {}
	}
	return ReadRecords(ctx, filepath.Join(j.Dir(), name))
}

// ReadRecords is over the rows of a file of records that a Job writes, which may be running.
func ReadRecords(ctx context.Context, name string) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		if err := readRecords(ctx, name, func(r Row) bool { return yield(r, nil) }); err != nil {
			yield(Row{}, err)
		}
	}
}

func readRecords(ctx context.Context, name string, yield func(Row) bool) error {
	latest := map[string]int{} // number of the line that counts
	err := scanRows(ctx, name, func(n int, r Row) bool {
		if latest[r.URL] = n; r.Kind == crawler.Gone || r.Kind == crawler.Moved {
			delete(latest, r.URL)
		}
		return true
	})
	if err != nil {
		return err
	}
	return scanRows(ctx, name, func(n int, r Row) bool {
		if last, ok := latest[r.URL]; !ok || last != n || len(r.Records) == 0 {
			return true
		}
		return yield(r)
	})
}

// scanRows calls f for the lines of a file, from 1 on. One that is being written is left
// out.
func scanRows(ctx context.Context, name string, f func(n int, r Row) bool) error {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 1<<20)
	for n := 1; ; n++ {
		text, err := in.ReadBytes('\n')
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		var r Row
		if err := json.Unmarshal(text, &r); err != nil {
			return fmt.Errorf("job: %s:%d: %w", name, n, err)
		}
		if !f(n, r) {
			return nil
		}
	}
}
