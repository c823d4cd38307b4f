// Spell corrects words by a dictionary, and measures how well it does.
//
//	go run ./examples/spell                                     a demonstration with what it brings along
//	echo recieve | go run ./examples/spell -dict words.txt      what may be meant
//	go run ./examples/spell -dict words.txt -json < pairs.tsv   how often the right word is found
//	go run ./examples/spell -learn < pairs.tsv > costs.tsv      which errors people make
//
// A dictionary has a word on each line, and how frequent it is. On standard input
// is a word on each line, a whole query, or what was written and what was meant with
// a tab between. docs/guides/fuzzy.md tells more.
//
//	main.go     the command line
//	measure.go  suggestions and figures
//	demo        the words and pairs of the demonstration, MIT licence
package main

import (
	"bytes"
	"embed"
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

type options struct {
	dict, costs string
	json, learn bool
	limit       int
}

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is main with everything passed in; it returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("spell", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.dict, "dict", "", "`file` of words, each with its frequency; without: a demonstration")
	flags.StringVar(&o.costs, "costs", "", "`file` of what errors cost, as -learn prints it; without: those of English")
	flags.BoolVar(&o.json, "json", false, "print figures only, as JSON")
	flags.BoolVar(&o.learn, "learn", false, "learn from pairs on standard input which errors are likely, and print that")
	flags.IntVar(&o.limit, "limit", 5, "how many suggestions to print")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0 || o.limit < 1:
		fmt.Fprintln(stderr, "spell: words come from standard input, and at least one suggestion is printed; see -help")
		return 2
	}
	if err := spell(o, stdin, stdout); err != nil {
		fmt.Fprintln(stderr, "spell:", err)
		return 1
	}
	return 0
}

func spell(o options, stdin io.Reader, stdout io.Writer) error {
	if o.learn {
		return learn(stdin, stdout)
	}
	words, input := io.Reader(nil), stdin
	if o.dict == "" {
		words, input = open("demo/words.txt"), open("demo/pairs.tsv")
	} else {
		file, err := os.Open(o.dict)
		if err != nil {
			return err
		}
		defer file.Close()
		words = file
	}
	costs := fuzzy.EnglishCosts()
	if o.costs != "" {
		text, err := os.ReadFile(o.costs)
		if err != nil {
			return err
		}
		if costs, err = fuzzy.ReadCosts(bytes.NewReader(text)); err != nil {
			return fmt.Errorf("%s: %w", o.costs, err)
		}
	}
	d, err := readDictionary(words, costs)
	if err != nil {
		return err
	}
	return d.answer(o, input, stdout)
}

func open(name string) io.Reader {
	text, err := demo.ReadFile(name)
	if err != nil {
		panic(err) // it is compiled in
	}
	return bytes.NewReader(text)
}

// learn prints what errors cost by the pairs of what was written and what was meant.
func learn(stdin io.Reader, stdout io.Writer) error {
	var err error
	costs := fuzzy.LearnCosts(func(yield func(meant, written string) bool) {
		err = lines(stdin, func(line string) error {
			if written, meant, ok := strings.Cut(line, "\t"); ok {
				yield(fuzzy.Fold(meant), fuzzy.Fold(written))
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	_, err = costs.WriteTo(stdout)
	return err
}
