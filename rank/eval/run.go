package eval

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/webquarry/quarry/rank"
)

// Run holds the hits of each query, by its ID. Their order does not matter: they
// are ranked by score as a number of 32 bits, equal scores by descending key, as trec_eval does.
type Run map[string][]rank.Hit

// ReadRun reads a run as TREC has it, a hit a line, in any order:
//
//	query  Q0  document  rank  score  tag
//
// Columns are parted by white space; the second, the rank and what follows the
// score are ignored. The error is an [*InputError] that tells the line.
func ReadRun(r io.Reader) (Run, error) {
	run := Run{}
	seen := map[[2]string]bool{}
	for l, err := range rows(r) {
		if err != nil {
			return nil, err
		}
		f := columns(l.text)
		if len(f) < 5 {
			return nil, l.errorf("want query, Q0, document, rank, score and tag, not %d columns", len(f))
		}
		query, doc := f[0], strings.Clone(f[2])
		score, err := strconv.ParseFloat(f[4], 64)
		if err != nil || math.IsNaN(score) {
			return nil, l.errorf("score %.40q is no number", f[4])
		}
		if seen[[2]string{query, doc}] {
			return nil, l.errorf("query %s, document %s: %w", query, doc, ErrDuplicate)
		}
		seen[[2]string{query, doc}] = true
		run[query] = append(run[query], rank.Hit{Key: doc, Score: score})
	}
	return run, nil
}

// Write writes the run as [ReadRun] reads it, best hits first. Scores are exact.
// An ID or tag with white space in it, or an empty one, is an error: the form
// has no place for it.
func (run Run) Write(w io.Writer, tag string) error {
	if err := oneWord("tag", tag); err != nil {
		return err
	}
	buf := bufio.NewWriter(w)
	for n, query := range slices.SortedFunc(maps.Keys(run), compareIDs) {
		if n == 0 && strings.HasPrefix(query, byteOrderMark) {
			buf.WriteString(byteOrderMark) // readers take away the first
		}
		if err := oneWord("query", query); err != nil {
			return err
		}
		for i, h := range ranked(run[query]) {
			if err := oneWord("document", h.Key); err != nil {
				return err
			}
			score := strconv.FormatFloat(h.Score, 'g', -1, 64)
			fmt.Fprintf(buf, "%s Q0 %s %d %s %s\n", query, h.Key, i+1, score, tag)
		}
	}
	return flush(buf)
}

func flush(buf *bufio.Writer) error {
	if err := buf.Flush(); err != nil {
		return fmt.Errorf("eval: %w", err)
	}
	return nil
}

// oneWord reports what cannot be a column of a table.
func oneWord(what, s string) error {
	if f := columns(s); len(f) != 1 || f[0] != s {
		return fmt.Errorf("eval: %s %q: cannot be written: want one word", what, s)
	}
	return nil
}

// ranked returns the hits in the order in which they are judged. As in trec_eval, scores are equal that are equal as
// numbers of 32 bits.
func ranked(hits []rank.Hit) []rank.Hit {
	return slices.SortedFunc(slices.Values(hits), func(a, b rank.Hit) int {
		return cmp.Or(cmp.Compare(float32(b.Score), float32(a.Score)), cmp.Compare(b.Key, a.Key))
	})
}

// Untied returns the hits with scores that fall from each to the next, so that a
// run of them is ranked as it was shown: trec_eval has a rule of its own for
// equal scores, and compares them as numbers of 32 bits. It
// rounds scores to such, and lowers those that would not fall by the least step
// there is.
func Untied(hits []rank.Hit) []rank.Hit {
	out := slices.Clone(hits)
	last := float32(math.Inf(1))
	for i, h := range out {
		last = min(float32(h.Score), math.Nextafter32(last, float32(math.Inf(-1))))
		out[i].Score = float64(last)
	}
	return out
}

// compareIDs orders numbers by value, before all else.
func compareIDs(a, b string) int {
	x, errA := strconv.ParseUint(a, 10, 64)
	y, errB := strconv.ParseUint(b, 10, 64)
	switch {
	case errA == nil && errB == nil:
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
	case errA == nil:
		return -1
	case errB == nil:
		return 1
	}
	return cmp.Compare(a, b)
}
