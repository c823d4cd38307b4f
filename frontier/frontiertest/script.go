package frontiertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// Script runs the scenario in a file and compares what is printed with what the
// file says. A scenario is a list of commands, each followed by the lines that it
// prints, which are indented:
//
//	# a host rests for a second between two visits
//	add http://a.test/1 http://a.test/2
//	  2 new
//	next
//	  0s http://a.test/1
//	done http://a.test/1 delay=10s found=http://b.test/
//	next
//	  0s http://b.test/
//
// The commands are
//
//	options NAME=VALUE...    before all others: per-host, per-domain, global,
//	                         delay, max-delay, horizon
//	add URL... [FIELD=VALUE...]
//	                         due (since the start), depth, priority, label
//	next [TIMES]             prints the time since the start and the request
//	done URL [FIELD=VALUE...]
//	                         again (from now on), delay, attempt, found (may be
//	                         repeated)
//	sleep TIME
//	stats
//	crash                    and open again; the script is skipped from here on
//	                         for a frontier that does not outlive its process
//
// Time is faked and starts at 0s. Next gives up after ten hours.
func Script(t *testing.T, m Maker, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := &script{T: t, maker: m, start: time.Now(), open: map[string]frontier.Lease{}}
		defer func() {
			if c, ok := s.f.(io.Closer); ok {
				c.Close()
			}
		}()
		var out bytes.Buffer
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "  ") {
				continue
			}
			out.WriteString(line)
			if f := strings.Fields(line); len(f) > 0 && f[0] != "#" {
				if !s.command(&out, f[0], f[1:]) {
					return
				}
			}
		}
		if out.String() != string(text) {
			t.Errorf("%s: got\n%s", file, out.String())
		}
	})
}

// script is a scenario that is being run.
type script struct {
	*testing.T
	maker Maker
	opt   frontier.Options
	f     frontier.Frontier
	start time.Time
	open  map[string]frontier.Lease
}

// command runs a command and says whether to go on.
func (s *script) command(out io.Writer, name string, args []string) bool {
	fields, rest := split(args)
	if name == "options" {
		s.options(fields)
		return true
	}
	if s.f == nil {
		s.f = s.maker.Open(s.T, s.opt)
	}
	switch name {
	case "add":
		s.add(out, rest, fields)
	case "next":
		for range max(1, number(rest)) {
			s.next(out)
		}
	case "done":
		s.done(out, rest[0], fields)
	case "sleep":
		time.Sleep(duration(rest[0]))
	case "stats":
		s := statsOf(s.f)
		fmt.Fprintf(out, "  %+v\n", struct{ Seen, Queued, Leased, Done, Hosts int }{s.Seen, s.Queued, s.Leased, s.Done, s.Hosts})
	case "crash":
		if s.maker.Reopen == nil {
			return false
		}
		s.f = s.maker.Reopen(s.T, s.f, s.opt)
	default:
		s.Fatalf("no command %q", name)
	}
	return true
}

// split parts NAME=VALUE from other words. URLs may hold an equals sign.
func split(args []string) (fields [][2]string, rest []string) {
	for _, a := range args {
		if name, value, ok := strings.Cut(a, "="); ok && !strings.Contains(name, ":") {
			fields = append(fields, [2]string{name, value})
		} else {
			rest = append(rest, a)
		}
	}
	return fields, rest
}

func number(words []string) (n int) {
	if len(words) > 0 {
		fmt.Sscan(words[0], &n)
	}
	return n
}

func duration(s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		panic(err)
	}
	return d
}

func (s *script) options(fields [][2]string) {
	l := &s.opt.Limits
	numbers := map[string]*int{"per-host": &l.PerHost, "per-domain": &l.PerDomain, "global": &l.Global}
	times := map[string]*time.Duration{"delay": &l.Delay, "max-delay": &l.MaxDelay, "horizon": &s.opt.Horizon}
	for _, f := range fields {
		if n, ok := numbers[f[0]]; ok {
			*n = number([]string{f[1]})
		} else if d, ok := times[f[0]]; ok {
			*d = duration(f[1])
		} else {
			s.Fatalf("no option %q", f[0])
		}
	}
}

func (s *script) add(out io.Writer, us []string, fields [][2]string) {
	reqs := requests(us...)
	for i := range reqs {
		for _, f := range fields {
			switch r := &reqs[i]; f[0] {
			case "due":
				r.Due = s.start.Add(duration(f[1]))
			case "depth":
				r.Depth = number([]string{f[1]})
			case "label":
				r.Label = f[1]
			case "priority":
				fmt.Sscan(f[1], &r.Priority)
			default:
				s.Fatalf("no field %q", f[0])
			}
		}
	}
	n, err := s.f.Add(s.Context(), reqs...)
	fmt.Fprintf(out, "  %d new\n", n)
	s.print(out, err)
}

func (s *script) print(out io.Writer, err error) {
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintf(out, "  %s\n", strings.TrimSpace(line))
		}
	}
}

func (s *script) next(out io.Writer) {
	ctx, cancel := context.WithTimeout(s.Context(), 10*time.Hour)
	defer cancel()
	r, err := s.f.Next(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		fmt.Fprintln(out, "  nothing for 10 hours")
		return
	}
	if err != nil {
		s.print(out, err)
		return
	}
	s.open[r.URL] = r
	fmt.Fprintf(out, "  %v %s", time.Since(s.start), r.URL)
	for _, f := range []struct {
		name  string
		value any
	}{{"depth", r.Depth}, {"attempt", r.Attempt}, {"priority", r.Priority}, {"label", r.Label}} {
		if text := fmt.Sprint(f.value); text != "0" && text != "" {
			fmt.Fprintf(out, " %s=%s", f.name, text)
		}
	}
	fmt.Fprintln(out)
}

func (s *script) done(out io.Writer, url string, fields [][2]string) {
	r := s.open[url]
	r.URL = url
	var o frontier.Outcome
	for _, f := range fields {
		switch f[0] {
		case "again":
			o.Again = time.Now().Add(duration(f[1]))
		case "delay":
			o.Delay = duration(f[1])
		case "attempt":
			r.Attempt = number([]string{f[1]})
		case "found":
			o.Found = slices.Concat(o.Found, requests(f[1]))
		default:
			s.Fatalf("no field %q", f[0])
		}
	}
	s.print(out, s.f.Done(s.Context(), r, o))
}
