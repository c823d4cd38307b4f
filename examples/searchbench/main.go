// Searchbench is Quarry as an engine in a comparison of full-text engines. It
// answers the queries of search-benchmark-game, over a text protocol that an
// engine in any language can speak:
//
//	searchbench build CORPUS.jsonl DIR   makes an index; prints key=value lines
//	searchbench stats DIR                describes it, as lines of key<TAB>value
//	searchbench serve DIR                answers lines KIND<TAB>QUERY, one for one
//
// KIND is COUNT, TOP_k or TOP_k_COUNT. The answer is
//
//	COUNT<TAB>KEY:SCORE KEY:SCORE ...<TAB>NANOSECONDS
//
// with the number of matches, for TOP_k of hits; at most ten hits are shown. A
// document of the corpus is a line {"id", "title", "body"}; what is searched is
// title and body as one text. The environment says how to build: SB_THREADS is
// how many goroutines read and analyse (default: one for each processor), with
// SB_MERGE=1 the index ends as one segment, SB_ANALYZER names another analyzer
// than the comparison's own, such as english.
//
// Where to look:
//
//	build.go     from a corpus to an index; read.go: its lines
//	words.go     the words of a text, as all engines of the comparison see them
//	query.go     the syntax of queries
//	serve.go     asking, and the form of an answer
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/webquarry/quarry/crawler/live"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "searchbench:", err)
		if errors.Is(err, errUsage) {
			os.Exit(2)
		}
		if s, ok := errors.AsType[*live.Stopped](err); ok {
			os.Exit(s.ExitCode())
		}
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: searchbench build CORPUS.jsonl DIR | stats DIR | serve DIR")

// run is main with everything passed in. Signals end a build in order; what only
// reads, and may wait for a line, they kill.
func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	switch {
	case len(args) == 1 && slices.Contains([]string{"-h", "-help", "--help", "help"}, args[0]):
		_, err := fmt.Fprintln(out, errUsage)
		return err
	case len(args) == 3 && args[0] == "build":
		ctx, stop := live.Signals(ctx)
		defer stop()
		return build(ctx, buildEnv(os.Getenv), args[1], args[2], out)
	case len(args) == 2 && args[0] == "stats":
		return withEngine(args[1], func(e *engine) error { return e.stats(out) })
	case len(args) == 2 && args[0] == "serve":
		return withEngine(args[1], func(e *engine) error { return e.serve(ctx, in, out) })
	}
	return errUsage
}
