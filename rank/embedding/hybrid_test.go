package embedding_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
	"github.com/webquarry/quarry/rank/embedding"
	"github.com/webquarry/quarry/rank/eval"
)

// irDir names the variable with the folder of test collections in SMART form, in cran, med,
// time and adi, of which TestHybrid prints how good vectors are that were learnt from
// them.
const irDir = "QUARRY_IR_DIR"

func readSMART[T any](t *testing.T, name string, read func(io.Reader) (T, error)) T {
	t.Helper()
	f, err := os.Open(filepath.Join(os.Getenv(irDir), name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, err := read(f)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Words, vectors learnt from the documents, and both, over the judged collections. It only prints.
func TestHybrid(t *testing.T) {
	if os.Getenv(irDir) == "" {
		t.Skipf("set %s to the folder of cran, med, time and adi", irDir)
	}
	for _, c := range [][4]string{
		{"cran", "cran/cran.all.1400", "cran/cran.qry", "cran/cranqrel"},
		{"med", "med/MED.ALL", "med/MED.QRY", "med/MED.REL"},
		{"time", "time/TIME.ALL", "time/TIME.QUE", "time/TIME.REL"},
		{"adi", "adi/ADI.ALL", "adi/ADI.QRY", "adi/ADI.REL"},
	} {
		t.Run(c[0], func(t *testing.T) { hybrid(t, c[1], c[2], c[3]) })
	}
}

func hybrid(t *testing.T, docsFile, queriesFile, qrelsFile string) {
	words := analysis.Named("english")
	tokens := func(text string) (out []string) {
		for token := range words.Tokens(text) {
			out = append(out, token.Text)
		}
		return out
	}
	docs := readSMART(t, docsFile, func(r io.Reader) (out []eval.Document, err error) {
		for d, err := range eval.SMART.Documents(r) {
			if err != nil {
				return nil, err
			}
			out = append(out, d)
		}
		return out, nil
	})
	qrels := readSMART(t, qrelsFile, eval.SMART.Qrels)
	queries := eval.Renumber(readSMART(t, queriesFile, eval.SMART.Queries), qrels)
	learner := embedding.NewLearner(embedding.Options{})
	for _, d := range docs {
		learner.Add(tokens(d.Title + "\n" + d.Body))
	}
	start := time.Now()
	model, err := learner.Learn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d documents, %d queries, %d words in %d dimensions learnt in %v", len(docs), len(queries), len(model.Words()), model.Dims(), time.Since(start).Round(time.Millisecond))
	ix, err := index.New(index.Options{Schema: index.Schema{
		{Name: "title", Analyzer: "english"}, {Name: "body", Analyzer: "english"},
		{Name: "meaning", Kind: index.Vector, Vectors: index.VectorOptions{Dims: model.Dims()}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, d := range docs {
		doc := index.Document{Key: d.ID, Fields: []index.Field{{Name: "title", Value: d.Title}, {Name: "body", Value: d.Body}}}
		if v := model.Text(tokens(d.Title + "\n" + d.Body)); v != nil {
			doc.Fields = append(doc.Fields, index.Field{Name: "meaning", Value: v})
		}
		if err := w.Add(t.Context(), doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	runs := map[string]eval.Run{}
	for _, q := range queries {
		var any query.Or
		for _, term := range tokens(q.Text) {
			any = append(any, query.Match{Text: term})
		}
		ask := func(q query.Query) []rank.Hit {
			res, err := ix.Search(t.Context(), q, index.SearchOptions{Limit: 1000})
			if err != nil {
				t.Fatal(err)
			}
			return res.Ranking()
		}
		bm25 := ask(any)
		var near []rank.Hit
		if v := model.Text(tokens(q.Text)); v != nil {
			near = ask(query.KNN{Field: "meaning", Vector: v, K: 1000})
		}
		for name, hits := range map[string][]rank.Hit{
			"1 BM25":                          bm25,
			"2 vectors":                       near,
			"3 reciprocal rank":               rank.ReciprocalRank{}.Fuse(bm25, near),
			"4 reciprocal rank, vectors half": rank.ReciprocalRank{Weights: []float64{1, 0.5}}.Fuse(bm25, near),
			"5 sum of scores from 0 to 1":     rank.CombSUM{}.Fuse(bm25, near),
			"6 sum of scores, vectors half":   rank.CombSUM{Weights: []float64{1, 0.5}}.Fuse(bm25, near),
			"7 BM25, reordered: 100 by 3":     rank.ReciprocalRank{}.Fuse(bm25[:min(100, len(bm25))], near[:min(100, len(near))]),
		} {
			if runs[name] == nil {
				runs[name] = eval.Run{}
			}
			runs[name][q.ID] = hits
		}
	}
	measures := []eval.Measure{{Kind: eval.NDCG, Cut: 10}, {Kind: eval.MAP}, {Kind: eval.Recall, Cut: 100}}
	var base *eval.Report
	names := []string{}
	for name := range runs {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		r, err := eval.Evaluate(runs[name], qrels, eval.Options{}, measures...)
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%-34s nDCG@10 %.4f  MAP %.4f  R@100 %.4f", name, r.Overall[0], r.Overall[1], r.Overall[2])
		if base == nil {
			base = r
		} else if cmp, err := eval.Compare(base, r); err == nil {
			line += fmt.Sprintf("  nDCG %+.1f %% (p %.3f), MAP %+.1f %% (p %.3f)", 100*(r.Overall[0]/base.Overall[0]-1), cmp[0].PRandom, 100*(r.Overall[1]/base.Overall[1]-1), cmp[1].PRandom)
		}
		t.Log(line)
	}
}
