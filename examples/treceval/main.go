// Treceval measures how well Quarry finds: it indexes a test collection, asks all
// its queries, and compares the answers with what people judged to be relevant.
//
//	go run ./examples/treceval       a small collection that it brings along
//	go run ./examples/treceval -format smart -docs cran.all.1400 -queries cran.qry -qrels cranqrel
//	go run ./examples/treceval -format beir -docs corpus.jsonl -queries queries.jsonl -qrels qrels/test.tsv
//
// Here is the way of one measurement. The rest:
//
//	options.go     the command line
//	collection.go  documents, queries and judgements, and whether they belong together
//	read.go        files, packed or not
//	analyzers.go   how words are stemmed, and which are left out
//	engine.go      the index, and how a query is asked
//	recipes.go     all recipes beside each other
//	output.go      tables and JSON
//
// docs/guides/evaluation.md tells what to make of it.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/rank/eval"
)

func main() {
	os.Exit(live.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdout, os.Stderr) }))
}

// run is main with everything passed in; it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stdout)
	if err == nil {
		err = treceval(ctx, o, stdout, stderr)
	}
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if code, stopped := live.ExitCode(ctx, err); stopped {
		fmt.Fprintln(stderr, "treceval: interrupted")
		return code
	}
	fmt.Fprintln(stderr, "treceval:", strings.ReplaceAll(err.Error(), "\n", "; "))
	if _, usage := errors.AsType[usageError](err); usage {
		return 2
	}
	return 1
}

// treceval measures as the options say.
func treceval(ctx context.Context, o *options, stdout, stderr io.Writer) error {
	c, err := o.readCollection()
	if err != nil {
		return err
	}
	if o.recipes {
		return o.compareRecipes(ctx, c, stdout, stderr)
	}
	e, err := o.filled(ctx, c, stderr)
	if err != nil {
		return err
	}
	defer e.close()
	answers, err := e.answer(ctx, c.judgedQueries())
	if err != nil {
		return err
	}
	report, err := eval.Evaluate(answers, c.qrels, eval.Options{}, o.measures...)
	if err != nil {
		return err
	}
	other, err := o.readOther()
	if err != nil {
		return err
	}
	compared, err := o.compareWith(other, report, c.qrels)
	if err != nil {
		return err
	}
	write := results{o, e.docs(), report, compared}.writeTable
	if o.json {
		write = results{o, e.docs(), report, compared}.writeJSON
	}
	return errors.Join(write(stdout), o.writePage(c, answers, other), o.writeRun(answers))
}

// filled returns an engine with the documents of a collection, and warns of what does not fit together.
func (o *options) filled(ctx context.Context, c *collection, stderr io.Writer) (*engine, error) {
	e, err := newEngine(o.engine)
	if err != nil {
		return nil, err
	}
	var warnings []string
	if err = e.add(ctx, c); err == nil {
		warnings, err = c.check(e.docs())
	}
	if err != nil {
		return nil, errors.Join(err, e.close())
	}
	for _, w := range warnings {
		fmt.Fprintln(stderr, "treceval: warning:", w)
	}
	return e, nil
}

// writeRun writes the run, if that is wanted. The file may be the one that was
// compared with; it stays as it is when there is nothing to take its place.
func (o *options) writeRun(answers eval.Run) error {
	if o.files.run == "" {
		return nil
	}
	var lines bytes.Buffer
	if err := answers.Write(&lines, "quarry"); err != nil {
		return fmt.Errorf("%s: %w", o.files.run, err)
	}
	return os.WriteFile(o.files.run, lines.Bytes(), 0o666)
}

// readOther reads the run to compare with; nil: there is none.
func (o *options) readOther() (eval.Run, error) {
	if o.files.compare == "" {
		return nil, nil
	}
	other, err := readFile(openFile, o.files.compare, eval.ReadRun)
	if err == nil && len(other) == 0 {
		err = fmt.Errorf("%s holds no hits", o.files.compare)
	}
	return other, err
}

// writePage writes the page, if that is wanted.
func (o *options) writePage(c *collection, now, other eval.Run) error {
	if o.files.html == "" {
		return nil
	}
	measures := slices.Clone(o.measures)
	for percent := 0; percent <= 100; percent += 10 {
		if m := (eval.Measure{Kind: eval.IPrec, Cut: percent}); !slices.Contains(measures, m) {
			measures = append(measures, m)
		}
	}
	page := eval.Page{Title: "How good the answers are", Text: fmt.Sprintf("%d documents, %d queries; %v", c.added, len(c.qrels), o.engine), Queries: map[string]string{}}
	for _, q := range c.judgedQueries() {
		page.Queries[q.ID] = q.Text
	}
	for _, run := range []struct {
		name string
		eval.Run
	}{{filepath.Base(o.files.compare), other}, {"this run", now}} {
		if run.Run == nil {
			continue
		}
		report, err := eval.Evaluate(run.Run, c.qrels, eval.Options{}, measures...)
		if err != nil {
			return err
		}
		page.Runs = append(page.Runs, eval.NamedReport{Name: run.name, Report: report})
	}
	var out bytes.Buffer
	if err := page.WriteHTML(&out); err != nil {
		return err
	}
	return os.WriteFile(o.files.html, out.Bytes(), 0o666)
}

// compareWith compares the report with another run, if there is one.
func (o *options) compareWith(other eval.Run, report *eval.Report, qrels eval.Qrels) ([]eval.Comparison, error) {
	if other == nil {
		return nil, nil
	}
	before, err := eval.Evaluate(other, qrels, eval.Options{}, o.measures...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.files.compare, err)
	}
	return eval.Compare(before, report)
}
