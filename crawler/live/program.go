package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"syscall"
)

// Stopped is the cause of a context that a signal has ended.
type Stopped struct {
	Signal os.Signal
}

func (s *Stopped) Error() string { return "stopped by a signal: " + s.Signal.String() }

// ExitCode is the code of a program that ended in order because of the signal: 130 for an
// interrupt, which a person sent, as shells have it, and 0 for SIGTERM and SIGHUP, by which
// init systems and closing terminals end a program that did nothing wrong.
func (s *Stopped) ExitCode() int {
	if s.Signal == os.Interrupt {
		return exitInterrupted
	}
	return 0
}

const exitInterrupted = 130

// Signals returns a context that ends at an interrupt, SIGTERM or SIGHUP, with a *[Stopped]
// as its cause. A second signal kills the program, as each does after stop. A signal that was
// ignored when the program began, as nohup has SIGHUP ignored, stays so.
func Signals(ctx context.Context) (_ context.Context, stop func()) {
	ctx, end := context.WithCancelCause(ctx)
	told := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(told, s)
		}
	}
	go func() {
		select {
		case s := <-told:
			signal.Stop(told)
			end(&Stopped{s})
		case <-ctx.Done():
			signal.Stop(told)
		}
	}()
	return ctx, func() { end(nil) }
}

// ExitCode reports whether err says only that ctx is done, and the exit code of a program
// whose work ctx has ended: that of the signal, and 130 without one. An error that is joined
// to the one of ctx, as that of a file that could not be closed, is another trouble.
func ExitCode(ctx context.Context, err error) (code int, stopped bool) {
	if ctx.Err() == nil || !only(err, ctx.Err(), context.Cause(ctx)) {
		return 0, false
	}
	if s, ok := errors.AsType[*Stopped](context.Cause(ctx)); ok {
		return s.ExitCode(), true
	}
	return exitInterrupted, true
}

var joined = reflect.TypeOf(errors.Join(context.Canceled))

// only reports whether each of the errors that are joined in err is one of those given.
func only(err error, those ...error) bool {
	if parts, ok := err.(interface{ Unwrap() []error }); ok && reflect.TypeOf(err) == joined {
		for _, part := range parts.Unwrap() {
			if !only(part, those...) {
				return false
			}
		}
		return true
	}
	if inner := errors.Unwrap(err); inner != nil {
		return only(inner, those...)
	}
	return slices.ContainsFunc(those, func(e error) bool { return errors.Is(err, e) })
}

// Main runs a program until it returns, with a context that ends at a signal, as [Signals]
// does, and a log that is the default of package log/slog, and returns its exit code. Whatever
// writes to package log, as net/http does about servers that break its rules, writes to that
// log too.
//
// The log goes to standard error. The environment variable QUARRY_LOG says what of it, by
// the least level (debug, info, warn or error), and in which form (text or json), as in
// "info,json"; without one there is none.
func Main(run func(ctx context.Context) int) int {
	log, err := newLog(os.Stderr, os.Getenv("QUARRY_LOG"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "QUARRY_LOG:", err)
		return 2
	}
	slog.SetDefault(log)
	ctx, stop := Signals(context.Background())
	defer stop()
	return run(ctx)
}

// newLog makes the log that a text describes.
func newLog(w io.Writer, text string) (*slog.Logger, error) {
	if text == "" {
		return slog.New(slog.DiscardHandler), nil
	}
	var level slog.Level
	asJSON := false
	for word := range strings.SplitSeq(strings.ToLower(text), ",") {
		switch word = strings.TrimSpace(word); word {
		case "json", "text":
			asJSON = word == "json"
		case "debug", "info", "warn", "error":
			_ = level.UnmarshalText([]byte(word)) // it knows these
		default:
			return nil, fmt.Errorf("want a level (debug, info, warn, error) and a form (text, json), such as info,json, not %q", word)
		}
	}
	opt := &slog.HandlerOptions{Level: level}
	if asJSON {
		return slog.New(slog.NewJSONHandler(w, opt)), nil
	}
	return slog.New(slog.NewTextHandler(w, opt)), nil
}
