// Knownitem measures how well pages are found that somebody has in mind. It indexes a folder of HTML pages, in which each
// host has a folder, and asks for pages by the texts of links to them and by their headings:
//
//	go run ./examples/knownitem DIR
//	go run ./examples/knownitem examples/sitesearch   the site that sitesearch brings along, as the host "site"
//
// Each line of the table adds something to what the line before has, and tells the mean reciprocal rank of the wanted
// page: of all queries, of texts of links, of headings; how often it is among the first ten; and how likely such a
// difference is by luck, by a randomisation test. With -recipes each line is a recipe, compared with the default. A text that is asked for is indexed as no anchor of its page. The rest:
//
//	web.go      the pages, their links, and what is asked
//	measure.go  the index, and the steps
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/webquarry/quarry/crawler/live"
)

func main() {
	os.Exit(live.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdout, os.Stderr) }))
}

// run is main with everything passed in; it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("knownitem", flag.ContinueOnError)
	flags.SetOutput(stderr)
	queries := flags.Int("queries", 500, "`number` of queries, half of them texts of links and half headings")
	byRecipe := flags.Bool("recipes", false, "rank by the recipes of rank/recipe, and compare each with the first, the default")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if flags.NArg() != 1 || *queries < 2 {
		fmt.Fprintln(stderr, "knownitem: one folder of pages, and two queries or more; see -help")
		return 2
	}
	if err := knownItem(ctx, flags.Arg(0), *queries, *byRecipe, stdout); err != nil {
		if code, stopped := live.ExitCode(ctx, err); stopped {
			fmt.Fprintln(stderr, "knownitem: interrupted")
			return code
		}
		fmt.Fprintln(stderr, "knownitem:", err)
		return 1
	}
	return 0
}

// knownItem measures a folder.
func knownItem(ctx context.Context, dir string, n int, byRecipe bool, out io.Writer) (err error) {
	w, err := readWeb(ctx, dir)
	if err != nil {
		return err
	}
	wanted := w.queries(n)
	if len(wanted) == 0 {
		return errors.New("no text of a link and no heading of two to eight words leads to one page alone")
	}
	ix, err := w.index(ctx, wanted)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	fmt.Fprintf(out, "%d pages, %d queries\n\n", len(w.pages), len(wanted))
	if byRecipe {
		return measure(ctx, ix, wanted, recipes(), true, out)
	}
	return measure(ctx, ix, wanted, steps, false, out)
}
