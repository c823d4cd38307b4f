package suggest

import (
	"context"
	"strings"
)

// Correct gives a better way to write a query that has few hits, or false when there
// is none: one that has more. A query with more than Few hits is taken for what was meant.
// Words in quotes, values of fields and what is excluded are left as they are, see
// [fuzzy.Speller.Correct]; words are put as they are written in the index. With a filter
// only hits that match it count. It counts the hits of up to three queries.
func (s *Suggester) Correct(ctx context.Context, text string, opt Options) (better string, ok bool, err error) {
	if opt.Hits > s.few() || s.few() < 0 || strings.TrimSpace(text) == "" {
		return "", false, nil
	}
	snap, err := s.Index.Snapshot()
	if err != nil {
		return "", false, err
	}
	defer snap.Close()
	hits := opt.Hits
	if hits == 0 {
		if hits, err = count(ctx, snap, s.parse(text), opt.Filter); err != nil || hits > s.few() {
			return "", false, err
		}
	}
	v, err := s.vocabulary(ctx, snap)
	if err != nil {
		return "", false, err
	}
	better, ok = v.speller.Correct(text, func(q string) int {
		if q == text {
			return hits
		}
		n, failed := count(ctx, snap, s.parse(q), opt.Filter)
		if failed != nil {
			err = failed
		}
		return n
	})
	if err != nil {
		return "", false, err
	}
	return better, ok, nil
}
