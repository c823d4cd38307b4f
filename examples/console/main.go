// Command console is a crawler and search engine that needs no programming: jobs are
// made, run, watched and searched in a browser.
//
//	go run ./examples/console                 with a small shop to try it on
//	go run ./examples/console -dir jobs       with the jobs in a folder
//
// It listens on this machine only, unless -addr says otherwise, which needs a -token.
// Killed and started again it goes on with the jobs that were running. docs/guides/console.md
// tells more.
//
// Where to look:
//
//   - the jobs, and who runs them: desk.go
//   - what is found in them, and how it is indexed: catalog.go, settings.go
//   - trying a spec and the steps of a chain: try.go; choosing elements of a page: pick.go
//   - pages, and who may ask for them: web.go, guard.go
//   - the shop that is bundled: demo.go
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"

	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/index/serve"
)

func main() {
	os.Exit(live.Main(func(ctx context.Context) int {
		switch err := run(ctx, os.Args[1:], os.Stderr); {
		case err == nil, errors.Is(err, flag.ErrHelp):
			return 0
		case isUsage(err):
			fmt.Fprintln(os.Stderr, "console:", err)
			return 2
		default:
			fmt.Fprintln(os.Stderr, "console:", err)
			return 1
		}
	}))
}

// usageError is a mistake on the command line.
type usageError struct{ error }

func isUsage(err error) bool { _, ok := errors.AsType[usageError](err); return ok }

// options are the command line.
type options struct {
	dir, addr, token string
	workers          int
}

func parseOptions(args []string, help io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("console", flag.ContinueOnError)
	fs.SetOutput(help)
	fs.StringVar(&o.dir, "dir", "", "`folder` of the jobs, each in a folder of its own (default: a temporary one, with a shop to try it on)")
	fs.StringVar(&o.addr, "addr", "127.0.0.1:8090", "`host:port` to listen on")
	fs.StringVar(&o.token, "token", "", "what people have to know who use it; needed for an address that others can reach; only by the environment (QUARRY_CONSOLE_TOKEN, or QUARRY_CONSOLE_TOKEN_FILE), not on the command line")
	fs.IntVar(&o.workers, "workers", 64, "requests at a time, of all jobs together")
	if err := live.ParseFlags(fs, args, "token"); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		return nil, usageError{err}
	}
	host, _, err := net.SplitHostPort(o.addr)
	switch {
	case fs.NArg() > 0:
		return nil, usageError{fmt.Errorf("unexpected argument %q", fs.Arg(0))}
	case err != nil:
		return nil, usageError{fmt.Errorf("-addr: %w", err)}
	case !isLoopback(host) && o.token == "":
		return nil, usageError{fmt.Errorf("-addr %s can be reached by others: that needs a -token", o.addr)}
	case o.workers < 1:
		return nil, usageError{errors.New("-workers must be at least 1")}
	}
	return o, nil
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func run(ctx context.Context, args []string, stderr io.Writer) (err error) {
	o, err := parseOptions(args, stderr)
	if err != nil {
		return err
	}
	l, err := serve.Listen(ctx, o.addr, o.addr != "127.0.0.1:8090")
	if err != nil {
		return fmt.Errorf("-addr: %w", err)
	}
	defer l.Close()
	var shop string
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "quarry-console-"); err != nil {
			return err
		}
		defer os.RemoveAll(o.dir)
		if shop, err = serveShop(ctx); err != nil {
			return err
		}
	}
	d, err := openDesk(o.dir, o.workers, slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelError})))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if shop != "" {
		if err := d.create("kettles", []byte(shopSpec(shop))); err != nil {
			return err
		}
	}
	fmt.Fprintf(stderr, "console: open http://%s/\n", l.Addr())
	return serve.Run(ctx, l, newWeb(d, o.token).handler())
}
