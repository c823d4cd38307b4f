package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// withFrontier opens a frontier for a while.
func withFrontier(path string, do func(*frontier.Disk) error) error {
	f, err := frontier.Open(path, frontier.Options{Horizon: -1})
	if _, locked := errors.AsType[*frontier.LockedError](err); locked {
		s, at, serr := frontier.ReadStats(path)
		if serr != nil {
			return err
		}
		return fmt.Errorf("%w; at %s it held %d URLs: %d wait, %d under way, %d done", err, at.Format(time.DateTime), s.Seen, s.Queued, s.Leased, s.Done)
	}
	if errors.Is(err, frontier.ErrCorrupt) {
		return fmt.Errorf("%w; restore a backup of the folder, or remove it: the crawl begins anew then, and its outputs get pages again that they have", err)
	}
	if err != nil {
		return err
	}
	return errors.Join(do(f), f.Close())
}

// checkFrontier counts what a frontier holds, and reads all that waits.
func checkFrontier(ctx context.Context, path string, _ []string, out io.Writer) error {
	return withFrontier(path, func(f *frontier.Disk) error {
		s, err := f.Stats(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "frontier %s: %d URLs, %d wait (%d due), %d done, %d dropped; %d hosts, of which %d parked, %d away, %d blocked, %d dropped\n",
			path, s.Seen, s.Queued, s.Due, s.Done, s.Dropped, s.States.Known, s.States.Parked, s.States.Away, s.States.Blocked, s.States.Dropped)
		waiting := 0
		for h, err := range f.Hosts(ctx) {
			if err != nil {
				return err
			}
			if h.Queued == 0 {
				continue
			}
			for _, err := range f.Pending(ctx, h.Name+"/") {
				if err != nil {
					return err
				}
				waiting++
			}
		}
		fmt.Fprintf(out, "  all of %d requests that wait can be read\n", waiting)
		return nil
	})
}

func hosts(ctx context.Context, path string, _ []string, out io.Writer) error {
	return withFrontier(path, func(f *frontier.Disk) error {
		for h, err := range f.Hosts(ctx) {
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s\t%s\t%d wait\t%d visits\t%d in trouble\t%s\n", h.Name, h.State, h.Queued, h.Visits, h.Errors, h.Reason)
		}
		return nil
	})
}

func urls(ctx context.Context, path string, args []string, out io.Writer) error {
	return withFrontier(path, func(f *frontier.Disk) error {
		for r, err := range f.Pending(ctx, args[0]) {
			if err != nil {
				return err
			}
			due := "now"
			if r.Due.After(time.Now()) {
				due = r.Due.Format(time.DateTime)
			}
			fmt.Fprintf(out, "%s\tdepth %d\tpriority %.4g\tattempt %d\tdue %s\tfound on %s\n", r.URL, r.Depth, r.Priority, r.Attempt+1, due, r.Via)
		}
		return nil
	})
}

func why(ctx context.Context, path string, args []string, out io.Writer) error {
	return withFrontier(path, func(f *frontier.Disk) error {
		x, err := f.Explain(ctx, args[0])
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %s", args[0], x.State)
		switch x.State {
		case frontier.Unknown:
			fmt.Fprint(out, ", it was never added: no page that was visited has a link to it that is followed")
		case frontier.Queued:
			fmt.Fprintf(out, ", not before %s, behind %d of its host", x.Due.Format(time.DateTime), x.Ahead)
			if x.Waits != "" {
				fmt.Fprintf(out, ", waits for %s", x.Waits)
			}
		}
		if x.Reason != "" {
			fmt.Fprintf(out, ": %s", x.Reason)
		}
		fmt.Fprintf(out, "\nhost %s: %s, %d wait, %d visits, %d in trouble, gap %v", x.Host.Name, x.Host.State, x.Host.Queued, x.Host.Visits, x.Host.Errors, x.Host.Gap)
		if x.Host.Reason != "" {
			fmt.Fprintf(out, ": %s", x.Host.Reason)
		}
		fmt.Fprintln(out)
		return nil
	})
}

func requeue(ctx context.Context, path string, args []string, out io.Writer) error {
	return withFrontier(path, func(f *frontier.Disk) error {
		n, err := f.Add(ctx, frontier.Request{URL: args[0], Again: true})
		if err == nil && n == 0 {
			err = fmt.Errorf("%s waits already", args[0])
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s will be visited by the next run\n", args[0])
		return nil
	})
}

func drop(ctx context.Context, path string, args []string, out io.Writer) error {
	return withFrontier(path, func(f *frontier.Disk) error {
		n, err := f.Drop(ctx, args[0])
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%d URLs that waited are dropped, and the host is not visited any more\n", n)
		return nil
	})
}

func resume(ctx context.Context, path string, args []string, out io.Writer) error {
	return withFrontier(path, func(f *frontier.Disk) error {
		if err := f.Resume(ctx, args[0]); err != nil {
			return err
		}
		fmt.Fprintln(out, "the host is visited again; what was dropped has to be found again, or queued by requeue")
		return nil
	})
}
