package index_test

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
	"github.com/webquarry/quarry/rank/eval"
)

// judged is a small judged set of testdata/judged.txt.
type judged struct {
	language string
	docs     []index.Document
	queries  []string
	qrels    eval.Qrels
}

func readJudged(t *testing.T) (sets []*judged) {
	t.Helper()
	f, err := os.Open("testdata/judged.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var set *judged
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			set = &judged{language: strings.Trim(line, "[]"), qrels: eval.Qrels{}}
			sets = append(sets, set)
		case strings.HasPrefix(line, "? "):
			text, answers, _ := strings.Cut(line[2:], " : ")
			grades := map[string]int{}
			best, some, _ := strings.Cut(answers, "|")
			for key := range strings.FieldsSeq(best) {
				grades[key] = 2
			}
			for key := range strings.FieldsSeq(some) {
				grades[key] = 1
			}
			set.qrels[fmt.Sprint(len(set.queries))] = grades
			set.queries = append(set.queries, text)
		default:
			key, text, _ := strings.Cut(line, " ")
			set.docs = append(set.docs, index.Document{Key: key, Fields: []index.Field{{Name: "body", Value: text}}})
		}
	}
	return sets
}

// In languages without spaces, and in Korean, an index without options ranks what answers a
// query first. Runs of characters as strict phrases are far behind.
func TestJudgedSets(t *testing.T) {
	t.Parallel()
	least := map[string]float64{"zh": 0.95, "ja": 0.95, "ko": 0.95, "th": 0.95} // nDCG@10
	sets := readJudged(t)
	if len(sets) != len(least) {
		t.Fatalf("%d sets", len(sets))
	}
	for _, set := range sets {
		ix := memory(t, index.Options{Schema: index.Schema{{Name: "body"}}}, set.docs...)
		report := func(ask func(text string) query.Query) []float64 {
			run := eval.Run{}
			for i, text := range set.queries {
				res, err := ix.Search(t.Context(), ask(text), index.SearchOptions{Limit: 100})
				if err != nil {
					t.Fatal(err)
				}
				for _, h := range res.Hits {
					run[fmt.Sprint(i)] = append(run[fmt.Sprint(i)], rank.Hit{Key: h.Key, Score: h.Score})
				}
			}
			r, err := eval.Evaluate(run, set.qrels, eval.Options{}, eval.Measure{Kind: eval.NDCG, Cut: 10}, eval.Measure{Kind: eval.MAP}, eval.Measure{Kind: eval.Recall, Cut: 100})
			if err != nil {
				t.Fatal(err)
			}
			return r.Overall
		}
		now := report(func(text string) query.Query { q, _ := query.ParseLenient(text, query.ParseOptions{}); return q })
		strict := report(func(text string) query.Query {
			var or query.Or
			for word := range strings.FieldsSeq(text) {
				or = append(or, query.Phrase{Text: word})
			}
			return or
		})
		t.Logf("%s, %d documents, %d queries: nDCG@10 %.3f, MAP %.3f, R@100 %.3f; by strict phrases %.3f, %.3f, %.3f",
			set.language, len(set.docs), len(set.queries), now[0], now[1], now[2], strict[0], strict[1], strict[2])
		if now[0] < least[set.language] || strict[0] > now[0]-0.3 {
			t.Errorf("%s: nDCG@10 %.3f, by strict phrases %.3f", set.language, now[0], strict[0])
		}
	}
}
