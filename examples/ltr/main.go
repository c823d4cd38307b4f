// Ltr trains a model to rank on half of the queries of a test collection, and measures it on
// the other half against the default ranking, as a second stage that Search runs.
//
//	go run ./examples/ltr -format smart -docs cran.all.1400 -queries cran.qry -qrels cranqrel
//	go run ./examples/ltr -format smart ... -model model.txt -features train.svm
//
// Here is the way from queries to figures. The rest:
//
//	collection.go  documents, queries and judgements, an index of them, and its statistics
//	compare.go     figures, and files
//
// docs/guides/learning-to-rank.md tells more.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"text/tabwriter"

	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/rank"
	"github.com/webquarry/quarry/rank/eval"
	"github.com/webquarry/quarry/rank/ltr"
)

func main() {
	os.Exit(live.Main(func(ctx context.Context) int {
		err := run(ctx, os.Args[1:], os.Stdout)
		if err == nil || errors.Is(err, flag.ErrHelp) {
			return 0
		}
		fmt.Fprintln(os.Stderr, "ltr:", err)
		if code, stopped := live.ExitCode(ctx, err); stopped {
			return code
		}
		if errors.Is(err, errUsage) {
			return 2
		}
		return 1
	}))
}

var errUsage = errors.New("-docs, -queries and -qrels are all needed; see -help")

// options are the command line.
type options struct {
	format               eval.Format
	docs, queries, qrels string
	model, features      string
	depth                int
	trainer              ltr.LambdaMART
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o := options{trainer: settings()}
	f := flag.NewFlagSet("ltr", flag.ContinueOnError)
	f.TextVar(&o.format, "format", eval.JSONL, "how the collection is written down: jsonl, beir, smart, trec, lisa, npl")
	f.StringVar(&o.docs, "docs", "", "file of the documents")
	f.StringVar(&o.queries, "queries", "", "file of the queries")
	f.StringVar(&o.qrels, "qrels", "", "file of the judgements")
	f.StringVar(&o.model, "model", "", "write the model of the first half to this file, as LightGBM does")
	f.StringVar(&o.features, "features", "", "write the features of all queries to this file, as SVMlight does")
	f.IntVar(&o.depth, "depth", 200, "hits that the model sees")
	f.IntVar(&o.trainer.Trees, "trees", o.trainer.Trees, "trees of the model")
	f.IntVar(&o.trainer.MinDocs, "leaf", o.trainer.MinDocs, "documents in each leaf of a tree, at least")
	f.Uint64Var(&o.trainer.Seed, "seed", 1, "of what is left to chance")
	if err := f.Parse(args); err != nil {
		return err
	}
	if o.docs == "" || o.queries == "" || o.qrels == "" {
		return errUsage
	}
	c, err := read(o)
	if err != nil {
		return err
	}
	ix, err := build(ctx, c)
	if err != nil {
		return err
	}
	defer ix.Close()
	s, err := ix.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	return measure(ctx, o, c, s, out)
}

// settings suit a hundred judged queries: small trees of many documents, each of a part of the features.
func settings() ltr.LambdaMART {
	return ltr.LambdaMART{Trees: 100, LearningRate: 0.05, Leaves: 6, MinDocs: 50, L2: 5, Features: 0.3, Queries: 0.7}
}

// log has the features of what the queries find, with the judgements.
func log(ctx context.Context, o options, s *index.Snapshot, queries []eval.Query, qrels eval.Qrels) (*ltr.Dataset, error) {
	x := extractor(ctx, s)
	data := &ltr.Dataset{Features: x.Features()}
	for _, q := range queries {
		res, err := s.Search(ctx, anyWord(q.Text), index.SearchOptions{Limit: o.depth, Fields: []string{"title", "body"}})
		if err != nil {
			return nil, err
		}
		hits := make([]rank.Hit, len(res.Hits))
		for i, h := range res.Hits {
			hits[i] = rank.Hit{Key: h.Key, Score: h.Score, Fields: h.Fields}
		}
		rows, err := x.Extract(ctx, q.Text, hits)
		if err != nil {
			return nil, err
		}
		group := ltr.Group{Query: q.ID}
		for i, row := range rows {
			group.Docs = append(group.Docs, ltr.Doc{Key: hits[i].Key, Grade: qrels[q.ID][hits[i].Key], Features: row})
		}
		data.Groups = append(data.Groups, group)
	}
	return data, nil
}

// answer asks queries, with a second stage or none.
func answer(ctx context.Context, o options, s *index.Snapshot, queries []eval.Query, by rank.Ranker, into eval.Run) error {
	for _, q := range queries {
		opt := index.SearchOptions{Limit: 1000}
		if by != nil {
			opt.Rerank = index.Rerank{By: by, Depth: o.depth, Fields: []string{"title", "body"}, Text: q.Text}
		}
		res, err := s.Search(ctx, anyWord(q.Text), opt)
		if err != nil {
			return err
		}
		into[q.ID] = ordered(res.Ranking())
	}
	return nil
}

// measure trains on each half of the queries and asks the other one.
func measure(ctx context.Context, o options, c collection, s *index.Snapshot, out io.Writer) error {
	all, err := log(ctx, o, s, c.queries, c.qrels)
	if err != nil {
		return err
	}
	err = save(o.features, all.WriteSVMlight)
	if err != nil {
		return err
	}
	before, after := eval.Run{}, eval.Run{}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "queries\tmeasure\tdefault\tlearnt\tbetter\tworse\tp (t-test)\tp (random)")
	for half := range 2 {
		var test []eval.Query
		train := &ltr.Dataset{Features: all.Features}
		for i, g := range all.Groups {
			if i%2 == half {
				train.Groups = append(train.Groups, g)
			} else {
				test = append(test, c.queries[i])
			}
		}
		m, _, err := o.trainer.Train(ctx, train, nil)
		if err != nil {
			return err
		}
		if half == 0 {
			if err := save(o.model, m.WriteLightGBM); err != nil {
				return err
			}
		}
		r, err := ltr.NewRanker(m, extractor(ctx, s))
		if err != nil {
			return err
		}
		one, other := eval.Run{}, eval.Run{}
		if err := errors.Join(answer(ctx, o, s, test, nil, one), answer(ctx, o, s, test, r, other)); err != nil {
			return err
		}
		if err := compare(table, fmt.Sprintf("half %d: %d", 2-half, len(test)), one, other, c.qrels); err != nil {
			return err
		}
		maps.Copy(before, one)
		maps.Copy(after, other)
	}
	if err := compare(table, fmt.Sprintf("both: %d", len(c.queries)), before, after, c.qrels); err != nil {
		return err
	}
	return table.Flush()
}
