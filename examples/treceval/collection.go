package main

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"strings"

	"github.com/webquarry/quarry/rank/eval"
)

//go:embed demo
var demo embed.FS

// collection is documents, queries, and what is relevant.
type collection struct {
	format  eval.Format
	open    opener
	docs    string // name of the file
	queries []eval.Query
	qrels   eval.Qrels

	unasked int // queries that are judged and not there

	added  int             // documents read so far
	empty  int             // of these, without title and body
	judged map[string]bool // judged documents: whether they were among them
}

// readCollection reads queries and judgements, those in the program when no
// files are given.
func (o *options) readCollection() (*collection, error) {
	open, in := openFile, o.files
	if in.docs == "" {
		open = func(name string) (io.ReadCloser, error) { return demo.Open(name) }
		in = files{docs: "demo/docs.jsonl", queries: "demo/queries.tsv", qrels: "demo/qrels.tsv"}
	}
	c := &collection{format: o.format, open: open, docs: in.docs, judged: map[string]bool{}}
	var err error
	if c.qrels, err = readFile(open, in.qrels, o.format.Qrels); err != nil {
		return nil, err
	}
	if o.minusOne {
		c.qrels = c.qrels.Regraded(func(grade int) int {
			if grade == -1 {
				return 1
			}
			return grade
		})
	}
	if c.queries, err = readFile(open, in.queries, o.format.Queries); err != nil {
		return nil, err
	}
	if o.format == eval.SMART {
		c.queries = eval.Renumber(c.queries, c.qrels)
	}
	if err := c.keepAsked(in); err != nil {
		return nil, err
	}
	for _, docs := range c.qrels {
		for doc := range docs {
			c.judged[doc] = false
		}
	}
	return c, nil
}

// keepAsked leaves out the judgements of queries that are not there, as trec_eval
// does: what was not asked says nothing of the answers.
func (c *collection) keepAsked(in files) error {
	asked := map[string]bool{}
	for _, q := range c.queries {
		asked[q.ID] = true
	}
	all := len(c.qrels)
	maps.DeleteFunc(c.qrels, func(query string, _ map[string]int) bool { return !asked[query] })
	if c.unasked = all - len(c.qrels); len(c.qrels) == 0 {
		return fmt.Errorf("%s has judgements for no query of %s: are they of one collection?", in.qrels, in.queries)
	}
	return nil
}

// judgedQueries are those worth asking.
func (c *collection) judgedQueries() (queries []eval.Query) {
	for _, q := range c.queries {
		if c.qrels[q.ID] != nil {
			queries = append(queries, q)
		}
	}
	return queries
}

// textless counts the judged queries that ask nothing.
func (c *collection) textless() (n int) {
	for _, q := range c.judgedQueries() {
		if strings.TrimSpace(q.Text) == "" {
			n++
		}
	}
	return n
}

// documents yields all documents.
func (c *collection) documents() iter.Seq2[eval.Document, error] {
	return func(yield func(eval.Document, error) bool) {
		f, err := c.open(c.docs)
		if err != nil {
			yield(eval.Document{}, err)
			return
		}
		defer f.Close()
		for d, err := range c.format.Documents(f) {
			if err != nil {
				yield(d, fmt.Errorf("%s: %w", c.docs, err))
				return
			}
			c.added++
			if d.Title+d.Body == "" {
				c.empty++
			}
			if _, judged := c.judged[d.ID]; judged {
				c.judged[d.ID] = true
			}
			if !yield(d, nil) {
				return
			}
		}
	}
}

// check looks at what was indexed, as so many documents. It tells what makes the
// measures lower than they should be, or what makes them senseless.
func (c *collection) check(indexed int) (warnings []string, err error) {
	missing := 0
	for _, there := range c.judged {
		if !there {
			missing++
		}
	}
	switch {
	case indexed == 0:
		return nil, fmt.Errorf("%s holds no documents", c.docs)
	case missing == len(c.judged):
		return nil, errors.New("no judged document is among the documents: are they of one collection?")
	case missing > 0:
		warnings = append(warnings, fmt.Sprintf("%d of %d judged documents are not among the documents", missing, len(c.judged)))
	}
	if c.unasked > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %d judged queries are not among the queries, and left out", c.unasked, c.unasked+len(c.qrels)))
	}
	if n := c.textless(); n > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %d judged queries have no text; they count as 0", n, len(c.qrels)))
	}
	if c.empty > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %d documents have neither title nor body", c.empty, c.added))
	}
	if indexed < c.added {
		warnings = append(warnings, fmt.Sprintf("%d of %d documents have the ID of a later one, and are lost", c.added-indexed, c.added))
	}
	return warnings, nil
}
