// Command inspect looks into what crawls and indexes leave on disk, and repairs it.
//
//	go run ./examples/inspect PATH                     what it is, how it stands, and whether it is sound
//	go run ./examples/inspect JOB backup TO            a copy that goes on elsewhere
//	go run ./examples/inspect FRONTIER hosts           each host: its state, what waits, its visits
//	go run ./examples/inspect FRONTIER urls URL        what waits of the host of a URL
//	go run ./examples/inspect FRONTIER why URL         why a URL is not visited
//	go run ./examples/inspect FRONTIER requeue URL     visit it again, though it is known
//	go run ./examples/inspect FRONTIER drop URL        give up its host with all that waits; resume URL takes it up again
//	go run ./examples/inspect INDEX terms FIELD [PREFIX]
//	go run ./examples/inspect INDEX document KEY       its stored fields
//	go run ./examples/inspect INDEX backup TO          the last commit
//	go run ./examples/inspect INDEX salvage TO         what can be read of a damaged one
//	go run ./examples/inspect ARCHIVE list             the records of a WARC file or a folder of them
//	go run ./examples/inspect ARCHIVE body URL         what was fetched from there
//
// A job is a folder with a job.yaml; the commands of a frontier go for the one in it too. The exit
// status is 0 if all is sound, 1 if something is damaged or cannot be had, and 2 for a
// command line that makes no sense. Nobody else may have a job or frontier open; an index
// and an archive may be in use. docs/guides/operations.md tells more.
//
// Where to look: job.go, frontier.go, index.go, archive.go.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/webquarry/quarry/crawler/live"
)

func main() {
	os.Exit(live.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdout, os.Stderr) }))
}

// usageError is a mistake on the command line.
type usageError struct{ error }

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// run is main with everything passed in; it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := inspect(ctx, args, stdout)
	if err == nil {
		return 0
	}
	if code, stopped := live.ExitCode(ctx, err); stopped {
		fmt.Fprintln(stderr, "inspect: interrupted")
		return code
	}
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintln(stderr, "inspect:", strings.TrimSpace(line))
	}
	if _, bad := errors.AsType[usageError](err); bad {
		return 2
	}
	return 1
}

// kinds of what can be looked into.
const (
	isJob      = "job"
	isFrontier = "frontier"
	isIndex    = "index"
	isArchive  = "archive"
)

// command is what is done to one kind.
type command struct {
	args int // that it needs
	more int // that it may have beyond
	do   func(ctx context.Context, path string, args []string, out io.Writer) error
}

// commands are what can be done to each kind.
func commands(kind string) map[string]command {
	return map[string]map[string]command{
		isJob:      {"check": {0, 0, checkJob}, "backup": {1, 0, backupJob}},
		isFrontier: {"check": {0, 0, checkFrontier}, "hosts": {0, 0, hosts}, "urls": {1, 0, urls}, "why": {1, 0, why}, "requeue": {1, 0, requeue}, "drop": {1, 0, drop}, "resume": {1, 0, resume}},
		isIndex:    {"check": {0, 0, checkIndex}, "terms": {1, 1, terms}, "document": {1, 0, document}, "backup": {1, 0, backupIndex}, "salvage": {1, 0, salvage}},
		isArchive:  {"check": {0, 0, checkArchive}, "list": {0, 0, list}, "body": {1, 0, body}},
	}[kind]
}

func inspect(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return usage("want the path of a job, frontier, index or archive, and what to do; see the top of examples/inspect/main.go")
	}
	path, name := args[0], "check"
	if args = args[1:]; len(args) > 0 {
		name, args = args[0], args[1:]
	}
	kind, err := kindOf(path)
	if err != nil {
		return err
	}
	c, ok := commands(kind)[name]
	if _, frontiers := commands(isFrontier)[name]; !ok && kind == isJob && frontiers {
		path, c, ok = filepath.Join(path, "frontier"), commands(isFrontier)[name], true
	}
	if !ok {
		var all []string
		for name := range commands(kind) {
			all = append(all, name)
		}
		slices.Sort(all)
		return usage("%s: this is %s, for which there is %s, not %q", path, map[string]string{isJob: "a job", isFrontier: "a frontier", isIndex: "an index", isArchive: "an archive"}[kind], strings.Join(all, ", "), name)
	}
	if len(args) < c.args || len(args) > c.args+c.more {
		return usage("%s: want %d arguments, not %d", name, c.args, len(args))
	}
	return c.do(ctx, path, args, out)
}

// kindOf tells what is there by the names of its files, which damage does not change.
func kindOf(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return isArchive, nil
	}
	for _, k := range []struct{ kind, pattern string }{
		{isJob, "job.yaml"}, {isIndex, "commit-*"}, {isIndex, "segment-*"}, {isFrontier, "log-[0-9]*"}, {isFrontier, "state-[0-9]*"}, {isFrontier, "seen*"},
		{isArchive, "*.warc*"}, {isArchive, "*.arc*"}, {isJob, "runs.json"},
	} {
		found, err := filepath.Glob(filepath.Join(escaped(path), k.pattern))
		if err != nil {
			return "", err
		}
		if len(found) > 0 {
			return k.kind, nil
		}
	}
	return "", fmt.Errorf("%s: there is no job, frontier, index or archive in this folder", path)
}

// escaped is a path as part of a pattern.
func escaped(path string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(path)
}
