package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/webquarry/quarry/index"
)

// engine answers queries over an index.
type engine struct {
	snapshot *index.Snapshot
	parser   parser
}

// withEngine opens an index for f.
func withEngine(dir string, f func(*engine) error) (err error) {
	if commits, _ := fs.Glob(os.DirFS(dir), "commit-*"); commits == nil {
		return fmt.Errorf("%s holds no index: build it first", dir)
	}
	ix, err := index.Open(dir, index.Options{Analyzers: analyzers()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	s, err := ix.Snapshot()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	e := &engine{snapshot: s}
	field, ok := s.Schema().Field(fieldName)
	if e.parser.analyzer = analyzers()[field.Analyzer]; !ok || e.parser.analyzer == nil {
		return fmt.Errorf("%s: no index of searchbench", dir)
	}
	return f(e)
}

func (e *engine) stats(out io.Writer) error {
	s, err := e.snapshot.Stats()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "engine\tQuarry\ndocs\t%d\nsegments\t%d\nsettings\t%s\n", s.Docs, s.Segments,
		"BM25 k1=1.2 b=0.75 over exact lengths; one text field with positions, not stored, key stored; budget 256 MiB; TOP_k counts no further than k, TOP_k_COUNT exact; prefix and fuzzy constant-scored")
	return err
}

// serve answers line by line.
func (e *engine) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, maxQuery)
	var answer []byte
	for {
		line, err := lines.ReadSlice('\n')
		long := err == bufio.ErrBufferFull
		for err == bufio.ErrBufferFull { // pass over the rest
			_, err = lines.ReadSlice('\n')
		}
		if err != nil && err != io.EOF {
			return err
		}
		if err == io.EOF && len(line) == 0 {
			return nil
		}
		answer = answer[:0]
		if long {
			answer = fmt.Appendf(answer, "ERROR a line of more than %d bytes", maxQuery)
		} else {
			answer = e.answer(ctx, answer, strings.TrimRight(string(line), "\r\n"))
		}
		if _, err := out.Write(append(answer, '\n')); err != nil {
			return err
		}
	}
}

// maxQuery is the greatest length of a line that is answered, in bytes.
const maxQuery = 1 << 20

// command is a KIND of line.
type command struct {
	limit int // hits, -1 for none
	count bool
}

func parseCommand(s string) (c command, ok bool) {
	if s == "COUNT" {
		return command{limit: -1, count: true}, true
	}
	s, ok = strings.CutPrefix(s, "TOP_")
	s, c.count = strings.CutSuffix(s, "_COUNT")
	k, err := strconv.Atoi(s)
	c.limit = k
	return c, ok && err == nil && k > 0
}

const shownHits = 10

// answer appends the answer to a line.
func (e *engine) answer(ctx context.Context, dst []byte, line string) []byte {
	start := time.Now()
	kind, text, _ := strings.Cut(line, "\t")
	c, ok := parseCommand(kind)
	if !ok {
		return append(dst, "UNSUPPORTED"...)
	}
	res, err := e.search(ctx, c, text)
	if err != nil {
		return append(dst, "ERROR "+strings.ReplaceAll(err.Error(), "\n", " ")...)
	}
	count := len(res.Hits)
	if c.count {
		count = res.Total.Value
	}
	dst = append(strconv.AppendInt(dst, int64(count), 10), '\t')
	for i, h := range res.Hits[:min(shownHits, len(res.Hits))] {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = append(append(dst, h.Key...), ':')
		dst = strconv.AppendFloat(dst, h.Score, 'g', 7, 64)
	}
	dst = append(dst, '\t')
	return strconv.AppendInt(dst, time.Since(start).Nanoseconds(), 10)
}

func (e *engine) search(ctx context.Context, c command, text string) (*index.Results, error) {
	q, err := e.parser.parse(text)
	if err != nil {
		return nil, err
	}
	opt := index.SearchOptions{Limit: c.limit}
	if !c.count {
		opt.CountUpTo = 1
	}
	return e.snapshot.Search(ctx, q, opt)
}
