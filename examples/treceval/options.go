package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/rank"
	"github.com/webquarry/quarry/rank/eval"
	"github.com/webquarry/quarry/rank/recipe"
)

const usage = `Measure how well Quarry finds, with a test collection.

  go run ./examples/treceval    a small collection that it brings along
  go run ./examples/treceval -format smart -docs cran.all.1400 -queries cran.qry -qrels cranqrel

Files may be packed with gzip or zstd. A document or query in JSON is
{"id" or "_id", "title", "body" or "text"}, a line each; a query may also be a
line id<TAB>text. Judgements are as of TREC or BEIR, with -format smart also as
of Cranfield, MED, TIME and others, with lisa and npl as of these.

`

// options are the command line.
type options struct {
	format   eval.Format
	files    files
	engine   engineOptions
	measures []eval.Measure
	minusOne bool // judgements of -1 are relevant
	queries  bool // show each
	json     bool
	recipes  bool // a table of all
}

// files are their names.
type files struct{ docs, queries, qrels, run, compare, html string }

// engineOptions say how documents are indexed and queries are asked.
type engineOptions struct {
	analyzer, stop string
	fields         index.Schema // names and weights
	bm25           rank.BM25
	sum            bool        // of the scores in each field, by BM25; false: over all at once, by BM25F
	scorer         rank.Scorer // nil: as bm25 and sum say
	feedback       rank.Feedback
	feedbackName   string
	dependence     bool // neighbours in the query that stand together count more
	synonyms       [][]string
	depth          int           // hits of a query
	recipe         recipe.Recipe // none without a name
}

// usageError is a command line that makes no sense.
type usageError struct{ error }

const presetMeasures = "ndcg@10,ndcg_exp@10,map,mrr,p@10,recall@100,recall@1000,rprec,bpref,success@1,judged@10,num_q,num_rel,num_rel_ret"

// parseOptions reads the command line. The error is flag.ErrHelp when help was
// asked for and given, or a usageError.
func parseOptions(args []string, out io.Writer) (*options, error) {
	o := &options{}
	var fields, measures, scorer, feedback, synonyms, named string
	var k1, b float64
	fs := flag.NewFlagSet("treceval", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.TextVar(&o.format, "format", eval.JSONL, "`form` of the collection: smart, lisa, npl, trec, beir or jsonl")
	fs.StringVar(&o.files.docs, "docs", "", "`file` of documents")
	fs.StringVar(&o.files.queries, "queries", "", "`file` of queries")
	fs.StringVar(&o.files.qrels, "qrels", "", "`file` of judgements")
	fs.BoolVar(&o.minusOne, "minus1", false, "judgements of -1 say relevant: one of two readings of Cranfield")
	fs.StringVar(&o.engine.analyzer, "analyzer", "english", "how words are found: english (Snowball stems), porter (its forerunner) or standard (no stems)")
	fs.StringVar(&o.engine.stop, "stop", "english", "words to leave out: english (Snowball's), lucene (the 33 of Lucene) or none")
	fs.StringVar(&fields, "fields", "title^2,body", "`fields` with weights, such as title^0.5,body; text is title and body as one")
	fs.StringVar(&scorer, "scorer", "", "score by this `formula`, with parameters as in bm25(k1=0.9,b=0.4): "+strings.Join(rank.ScorerNames(), ", ")+"; it takes the place of -sum, -k1 and -b")
	fs.StringVar(&feedback, "feedback", "", "expand queries by words of their best documents: `rm3` or bo1, with parameters as in rm3(docs=10,words=20,query=0.8)")
	fs.StringVar(&named, "recipe", "", "rank by a formula, feedback and second stage that go by a `name`, in place of -scorer and -feedback; all: a table of all, beside the default")
	fs.BoolVar(&o.engine.dependence, "sdm", false, "sequential dependence: words side by side in a query count more where they stand together")
	fs.StringVar(&synonyms, "synonyms", "", "`file` of texts that mean the same, a group a line, parted by commas")
	fs.BoolVar(&o.engine.sum, "sum", false, "score a word once in each field, by BM25, and add up, and not once over all fields, by BM25F")
	fs.Float64Var(&k1, "k1", 1.2, "of BM25: how slowly repetition saturates")
	fs.Float64Var(&b, "b", 0.75, "of BM25: how much length counts, 0 to 1")
	fs.IntVar(&o.engine.depth, "depth", 1000, "hits of each query")
	fs.StringVar(&measures, "measures", presetMeasures, "measures to print")
	fs.StringVar(&o.files.run, "run", "", "write what was found to this `file`, as TREC has it")
	fs.StringVar(&o.files.compare, "compare", "", "compare with the run in this `file`")
	fs.StringVar(&o.files.html, "html", "", "write a page with tables and plots to this `file`")
	fs.BoolVar(&o.queries, "q", false, "print each query too")
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
	if err := live.ParseFlags(fs, args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(out, usage)
		fs.SetOutput(out)
		fs.PrintDefaults()
		return nil, err
	} else if err != nil {
		return nil, usageError{err}
	}
	if fs.NArg() > 0 {
		return nil, usageError{fmt.Errorf("unexpected argument %q", fs.Arg(0))}
	}
	for _, read := range []error{o.setMeasures(measures), o.setFields(fields), o.setBM25(k1, b), o.setRanking(scorer, feedback), o.setRecipe(named), o.check()} {
		if read != nil {
			return nil, usageError{read}
		}
	}
	if synonyms != "" {
		var err error
		if o.engine.synonyms, err = readFile(openFile, synonyms, analysis.ReadSynonyms); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// setRanking reads the names of a scorer and a feedback.
func (o *options) setRanking(scorer, feedback string) (err error) {
	if scorer != "" {
		if o.engine.scorer, err = rank.ParseScorer(scorer); err != nil {
			return fmt.Errorf("-scorer: %w", err)
		}
	}
	if feedback != "" {
		if o.engine.feedback, err = rank.ParseFeedback(feedback); err != nil {
			return fmt.Errorf("-feedback: %w", err)
		}
		o.engine.feedbackName = feedback
	}
	return nil
}

// setRecipe reads the name of a recipe, or "all".
func (o *options) setRecipe(name string) (err error) {
	switch {
	case name == "":
		return nil
	case o.engine.scorer != nil || o.engine.feedback != nil || o.engine.sum:
		return errors.New("-recipe takes the place of -scorer, -feedback and -sum")
	case name == "all":
		o.recipes = true
		return nil
	}
	if o.engine.recipe, err = recipe.Named(name); err != nil {
		return fmt.Errorf("-recipe: %w", err)
	}
	return nil
}

func (o *options) check() error {
	given := 0
	for _, name := range []string{o.files.docs, o.files.queries, o.files.qrels} {
		if name != "" {
			given++
		}
	}
	switch {
	case given != 0 && given != 3:
		return errors.New("-docs, -queries and -qrels go together")
	case given == 0 && o.format != eval.JSONL:
		return fmt.Errorf("-format %v needs -docs, -queries and -qrels", o.format)
	case o.engine.depth < 1:
		return errors.New("-depth must be at least 1")
	case o.recipes && (o.json || o.queries || o.files.run != "" || o.files.compare != "" || o.files.html != ""):
		return errors.New("-recipe all is a table by itself")
	case o.json && o.queries:
		return errors.New("-json has no room for -q")
	}
	_, err := newAnalyzer(o.engine.analyzer, o.engine.stop)
	return err
}

func (o *options) setMeasures(names string) error {
	for name := range strings.SplitSeq(names, ",") {
		m, err := eval.ParseMeasure(name)
		if err != nil {
			return err
		}
		o.measures = append(o.measures, m)
	}
	return nil
}

// setFields reads "title^2,body".
func (o *options) setFields(list string) error {
	for item := range strings.SplitSeq(list, ",") {
		name, by, weighted := strings.Cut(strings.TrimSpace(item), "^")
		weight := 1.0
		if weighted {
			var err error
			if weight, err = strconv.ParseFloat(by, 64); err != nil || !(weight > 0) || weight > 1e6 {
				return fmt.Errorf("-fields: weight %q is no positive number", by)
			}
		}
		if name != "title" && name != "body" && name != "text" {
			return fmt.Errorf("-fields: there is no field %q: want title, body or text", name)
		}
		if _, twice := o.engine.fields.Field(name); twice {
			return fmt.Errorf("-fields: %s is there twice", name)
		}
		o.engine.fields = append(o.engine.fields, index.FieldType{Name: name, Analyzer: analyzerName, Weight: weight})
	}
	return nil
}

func (o *options) setBM25(k1, b float64) error {
	switch {
	case !(k1 >= 0) || k1 > 1000:
		return fmt.Errorf("-k1 %v: want 0 to 1000", k1)
	case !(b >= 0) || b > 1:
		return fmt.Errorf("-b %v: want 0 to 1", b)
	}
	o.engine.bm25 = rank.BM25{K1: orTrueZero(k1), B: orTrueZero(b)}
	return nil
}

// by is what the index scores by.
func (o engineOptions) by() rank.Scorer {
	switch {
	case o.scorer != nil:
		return o.scorer
	case o.recipe.Scorer != nil:
		return o.recipe.Scorer
	}
	if o.sum {
		return o.bm25
	}
	return rank.BM25F{K1: o.bm25.K1, B: o.bm25.B}
}

// orTrueZero spells 0 as rank.BM25 wants it, for whom 0 is a default.
func orTrueZero(v float64) float64 {
	if v == 0 {
		return -1
	}
	return v
}
