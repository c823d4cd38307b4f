package eval_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/webquarry/quarry/rank"
	"github.com/webquarry/quarry/rank/eval"
)

// Two queries, of which the second finds what it should at the second place.
func ExampleEvaluate() {
	run := eval.Run{
		"1": {{Key: "fox", Score: 3.2}, {Key: "dog", Score: 1.5}},
		"2": {{Key: "dog", Score: 2.8}, {Key: "cat", Score: 2.1}},
	}
	qrels := eval.Qrels{"1": {"fox": 2, "dog": 0}, "2": {"cat": 1}}
	report, err := eval.Evaluate(run, qrels, eval.Options{}, eval.Measure{Kind: eval.NDCG, Cut: 10}, eval.Measure{Kind: eval.MRR})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, m := range report.Measures {
		fmt.Printf("%v %.4f\n", m, report.Overall[i])
	}
	for _, s := range report.Queries {
		fmt.Printf("query %s: %.4f\n", s.Query, s.Values)
	}
	// Output:
	// ndcg@10 0.8155
	// mrr 0.7500
	// query 1: [1.0000 1.0000]
	// query 2: [0.6309 0.5000]
}

func ExampleReadRun() {
	run, err := eval.ReadRun(strings.NewReader("1 Q0 fox 1 3.2 mine\n1 Q0 dog 2 high mine\n"))
	fmt.Println(run, err)
	// Output:
	// map[] eval: line 2: score "high" is no number
}

func ExampleRun_Write() {
	run := eval.Run{"1": {{Key: "dog", Score: 1.5}, {Key: "fox", Score: 3.2}}}
	if err := run.Write(os.Stdout, "mine"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 1 Q0 fox 1 3.2 mine
	// 1 Q0 dog 2 1.5 mine
}

func ExampleParseMeasure() {
	for _, name := range []string{"nDCG@10", "ndcg_cut_10", "recip_rank", "accuracy"} {
		m, err := eval.ParseMeasure(name)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(m)
	}
	// Output:
	// ndcg@10
	// ndcg@10
	// mrr
	// eval: measure "accuracy": unknown: want such as ndcg@10, map, mrr, p@10, recall@100, success@1, rprec, bpref
}

// Is b better than a? It is for most queries, but with so few of them that may
// well be luck.
func ExampleCompare() {
	qrels, a, b := eval.Qrels{}, eval.Run{}, eval.Run{}
	for i, better := range []bool{true, true, true, false} {
		query := fmt.Sprint(i)
		qrels[query] = map[string]int{"right": 1}
		good := []rank.Hit{{Key: "right", Score: 2}, {Key: "wrong", Score: 1}}
		bad := []rank.Hit{{Key: "wrong", Score: 2}, {Key: "right", Score: 1}}
		a[query], b[query] = good, bad
		if better {
			a[query], b[query] = bad, good
		}
	}
	mrr := eval.Measure{Kind: eval.MRR}
	reportA, _ := eval.Evaluate(a, qrels, eval.Options{}, mrr)
	reportB, _ := eval.Evaluate(b, qrels, eval.Options{}, mrr)
	compared, err := eval.Compare(reportA, reportB)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := compared[0]
	fmt.Printf("%v %.3f %.3f, better %d, worse %d, p = %.3f\n", c.Measure, c.A, c.B, c.Better, c.Worse, c.PRandom)
	// Output:
	// mrr 0.625 0.875, better 3, worse 1, p = 0.625
}

func ExampleFormat_Documents() {
	collection := ".I 1\n.T\nslipstream\n.W\na wing in a slipstream\n.I 2\n.W\nsimple shear flow\n"
	for doc, err := range eval.SMART.Documents(strings.NewReader(collection)) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%+v\n", doc)
	}
	// Output:
	// {ID:1 Title:slipstream Body:a wing in a slipstream}
	// {ID:2 Title: Body:simple shear flow}
}
