// Dedupe-names finds the names of one list in another, however they are written: the
// order of words, endings such as Ltd, accents and typing errors make no difference.
//
//	go run ./examples/dedupe-names                        a demonstration with two lists that it brings along
//	go run ./examples/dedupe-names customers.txt new.txt  the names of the second that are in the first
//	go run ./examples/dedupe-names customers.txt          names of one list that may be the same
//
// A list has a name on each line. Each match is a line: how much alike the two are,
// the name, and the name of the first list, with tabs between. docs/guides/fuzzy.md
// tells what the measures are.
package main

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/webquarry/quarry/fuzzy"
)

//go:embed demo
var demo embed.FS

var measures = map[string]fuzzy.Measure{"trigrams": fuzzy.MeasureTrigrams, "contained": fuzzy.MeasureContained, "tokens": fuzzy.MeasureTokens}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with everything passed in; it returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("dedupe-names", flag.ContinueOnError)
	flags.SetOutput(stderr)
	measure := flags.String("measure", "trigrams", "what is alike: `trigrams`, contained or tokens")
	threshold := flags.Float64("threshold", 0, "least `similarity`, from 0 to 1; 0: 0.5 for trigrams, 0.6 contained, 0.9 for tokens")
	limit := flags.Int("limit", -1, "matches of a name at most; -1: all")
	asJSON := flags.Bool("json", false, "print each match as JSON")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	opt := fuzzy.SimilarOptions{Threshold: *threshold, Limit: *limit}
	known := false
	if opt.Measure, known = measures[*measure]; !known || flags.NArg() > 2 || *threshold < 0 || *threshold > 1 || *limit == 0 {
		fmt.Fprintln(stderr, "dedupe-names: one or two lists, a measure that is known, a threshold from 0 to 1, and a limit that is not 0; see -help")
		return 2
	}
	if opt.Threshold == 0 && opt.Measure == fuzzy.MeasureTrigrams {
		opt.Threshold = 0.5
	}
	if err := dedupe(flags.Args(), opt, *asJSON, stdout); err != nil {
		fmt.Fprintln(stderr, "dedupe-names:", err)
		return 1
	}
	return 0
}

func dedupe(files []string, opt fuzzy.SimilarOptions, asJSON bool, stdout io.Writer) error {
	bundled := len(files) == 0
	if bundled {
		files = []string{"demo/customers.txt", "demo/new.txt"}
	}
	var lists []*fuzzy.Names
	for _, name := range files {
		list, err := readNames(name, bundled)
		if err != nil {
			return err
		}
		lists = append(lists, list)
	}
	w := bufio.NewWriter(stdout)
	defer w.Flush()
	out := json.NewEncoder(w)
	first, second := lists[0], lists[len(lists)-1]
	for e, found := range second.Join(first, opt) {
		for _, m := range found {
			if len(lists) == 1 && m.Text <= e.Text {
				continue // itself, or the pair the other way round
			}
			if !asJSON {
				fmt.Fprintf(w, "%.2f\t%s\t%s\n", m.Similarity, e.Text, m.Text)
			} else if err := out.Encode(map[string]any{"name": e.Text, "match": m.Text, "similarity": m.Similarity}); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// readNames reads a list, of the disk or of the demonstration.
func readNames(name string, bundled bool) (*fuzzy.Names, error) {
	read := os.ReadFile
	if bundled {
		read = demo.ReadFile
	}
	text, err := read(name)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	lines.Buffer(nil, 1<<20)
	names := fuzzy.NewNames(func(yield func(fuzzy.Entry) bool) {
		for lines.Scan() {
			if name := strings.TrimSpace(lines.Text()); name != "" && !yield(fuzzy.Entry{Text: name}) {
				return
			}
		}
	})
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return names, nil
}
