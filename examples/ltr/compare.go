package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/webquarry/quarry/rank"
	"github.com/webquarry/quarry/rank/eval"
)

// ordered has scores that fall in the order of the hits: a second stage leaves those that it has not seen with
// the scores of the first.
func ordered(hits []rank.Hit) []rank.Hit {
	for i := range hits {
		hits[i].Score = float64(len(hits) - i)
	}
	return hits
}

// compare writes what is better.
func compare(out io.Writer, what string, before, after eval.Run, qrels eval.Qrels) error {
	asked := eval.Qrels{}
	for id := range before {
		asked[id] = qrels[id]
	}
	measures := []eval.Measure{{Kind: eval.NDCG, Cut: 10}, {Kind: eval.MAP}}
	a, errA := eval.Evaluate(before, asked, eval.Options{}, measures...)
	b, errB := eval.Evaluate(after, asked, eval.Options{}, measures...)
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	found, err := eval.Compare(a, b)
	for _, c := range found {
		fmt.Fprintf(out, "%s\t%v\t%.4f\t%.4f\t%d\t%d\t%.4f\t%.4f\n", what, c.Measure, c.A, c.B, c.Better, c.Worse, c.PT, c.PRandom)
	}
	return err
}

// save writes a file, if it has a name.
func save(name string, write func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
