// Command actions runs chains of actions in a page, and tells step by step what
// happened.
//
//	go run ./examples/actions
//	go run ./examples/actions -chain lamps.yaml -url https://shop.example/
//
// Without flags it runs the chains of the folder chains on a site of its own, so
// that nothing but a browser is needed. docs/guides/actions.md has all actions.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome/action"
	"github.com/webquarry/quarry/crawler/live"
)

// Exit codes.
const (
	exitDone   = 0 // all steps were done
	exitFailed = 1 // a step failed, or there is no browser
	exitUsage  = 2 // the command line, the chain or the schema makes no sense
)

func main() {
	os.Exit(live.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdout, os.Stderr) }))
}

// run is the program.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	opt, err := parseOptions(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		return complain(stderr, exitUsage, err)
	}
	tabs, err := open(opt)
	if err != nil {
		return complain(stderr, exitFailed, err)
	}
	defer tabs.Close()
	steps := stdout
	if opt.json {
		steps = stderr
	}
	for _, c := range opt.chains {
		err := one(ctx, opt, tabs, c, stdout, steps)
		switch {
		case err != nil && ctx.Err() != nil:
			code, _ := live.ExitCode(ctx, context.Cause(ctx)) // a tab that is closed has errors of its own
			return complain(stderr, code, errors.New("interrupted"))
		case err != nil && strings.Contains(err.Error(), string(crawler.ErrBlockedAddr)):
			return complain(stderr, exitFailed, fmt.Errorf("%w; -allow-private opens such addresses too", err))
		case err != nil:
			return complain(stderr, exitFailed, err)
		}
	}
	return exitDone
}

func complain(stderr io.Writer, code int, err error) int {
	text := strings.TrimPrefix(err.Error(), "action: ")
	fmt.Fprintf(stderr, "actions: %s\n", strings.ReplaceAll(text, "\n", "; "))
	return code
}

// one runs a chain and shows what comes of it. What was found before a step
// failed is shown as well.
func one(ctx context.Context, opt *options, tabs *tabs, c chain, stdout, steps io.Writer) error {
	show := newDisplay(steps, opt.verbose)
	if c.title != "" {
		fmt.Fprintf(steps, "%s: %s\n", c.title, c.value.Name)
	}
	runner := action.Runner{URL: opt.url, Schema: opt.schema, OnReport: show.report, Sessions: &opt.sessions, Lookup: opt.lookup}
	var result *action.Result
	err := tabs.Tab(ctx, opt.url, func(tab context.Context) (err error) {
		result, err = runner.Run(tab, c.value)
		return err
	})
	show.end()
	if result == nil {
		return err
	}
	saved, bad := save(opt.screenshots, result.Files)
	if opt.json {
		err = errors.Join(err, writeJSON(stdout, c.value.Name, result, err))
	} else {
		writeText(stdout, result, saved, opt.records)
	}
	return explain(errors.Join(err, bad), saved)
}

// explain says where the picture of a failure is.
func explain(err error, saved map[string]string) error {
	if step, ok := errors.AsType[*action.StepError](err); ok && saved[step.Screenshot] != "" {
		return fmt.Errorf("%w; the page is in %s", err, saved[step.Screenshot])
	}
	return err
}

// save writes files to a folder, if there is one. It returns where they are, by
// name.
func save(dir string, files []action.File) (map[string]string, error) {
	saved := map[string]string{}
	if dir == "" || len(files) == 0 {
		return saved, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return saved, err
	}
	for _, f := range files {
		name := filepath.Join(dir, f.Name)
		if err := os.WriteFile(name, f.Body, 0o644); err != nil {
			return saved, err
		}
		saved[f.Name] = name
	}
	return saved, nil
}
