package eval

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseMeasure reads the name of a measure, in any case: "ndcg@10", "map",
// "p@10", "recall@100", "iprec@0.1". The names of trec_eval are read too:
// "ndcg_cut_10", "P.5", "recip_rank", "iprec_at_recall_0.10".
func ParseMeasure(name string) (Measure, error) {
	lower := strings.ToLower(strings.TrimSpace(name))
	for kind, k := range kinds {
		for _, known := range k.names {
			rest, ok := strings.CutPrefix(lower, known)
			if !ok || rest != "" && !strings.ContainsRune("@_.", rune(rest[0])) {
				continue
			}
			m := Measure{Kind: Kind(kind)}
			if rest != "" {
				cut, err := parseCut(rest[1:], k.cut)
				if err != nil {
					continue // "ndcg_exp" is no cut of "ndcg"
				}
				m.Cut = cut
			}
			if m.check() == nil {
				return m, nil
			}
		}
	}
	return Measure{}, fmt.Errorf("eval: measure %q: unknown: want such as ndcg@10, map, mrr, p@10, recall@100, success@1, rprec, bpref", name)
}

// parseCut reads the number behind a name.
func parseCut(s string, c cutting) (int, error) {
	if c == percent {
		recall, err := strconv.ParseFloat(s, 64)
		if hundred := math.Round(recall * 100); err == nil && math.Abs(hundred-recall*100) < 1e-9 {
			return int(hundred), nil
		}
		return 0, strconv.ErrRange
	}
	cut, err := strconv.Atoi(s)
	if err == nil && cut < 1 {
		err = strconv.ErrRange
	}
	return cut, err
}
