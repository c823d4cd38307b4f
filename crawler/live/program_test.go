package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestExitCode: only what ctx ended, and nothing besides, is an end in order.
func TestExitCode(t *testing.T) {
	t.Parallel()
	disk := errors.New("disk full")
	ended := func(cause error) context.Context {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		return ctx
	}
	term, hup, intr := &Stopped{syscall.SIGTERM}, &Stopped{syscall.SIGHUP}, &Stopped{os.Interrupt}
	for i, c := range []struct {
		ctx     context.Context
		err     error
		code    int
		stopped bool
	}{
		{t.Context(), disk, 0, false},
		{t.Context(), term, 0, false},
		{ended(term), term, 0, true},
		{ended(hup), fmt.Errorf("a: %w", hup), 0, true},
		{ended(intr), intr, 130, true},
		{ended(nil), context.Canceled, 130, true},
		{ended(term), errors.Join(nil, context.Canceled, term), 0, true},
		{ended(term), fmt.Errorf("%w while %w", disk, term), 0, true},
		{ended(term), errors.Join(term, disk), 0, false},
		{ended(term), fmt.Errorf("close: %w", errors.Join(term, disk)), 0, false},
		{ended(term), disk, 0, false},
		{ended(term), nil, 0, false},
	} {
		if code, stopped := ExitCode(c.ctx, c.err); code != c.code || stopped != c.stopped {
			t.Errorf("%d: %v: %d, %v", i, c.err, code, stopped)
		}
	}
}

// TestMainInChild runs Main in a process of its own: package log writes to the log, and
// there is none without QUARRY_LOG.
func TestMainInChild(t *testing.T) {
	if os.Getenv("QUARRY_LIVE_CHILD") != "" {
		os.Exit(Main(func(ctx context.Context) int {
			log.Print("Unsolicited response received on idle HTTP channel")
			fmt.Println("ready")
			<-ctx.Done()
			code, _ := ExitCode(ctx, context.Cause(ctx))
			return code
		}))
	}
	t.Parallel()
	for _, c := range []struct {
		log    string
		signal os.Signal
		code   int
		want   string
	}{
		{"", syscall.SIGTERM, 0, ""},
		{"info", syscall.SIGHUP, 0, `level=INFO msg="Unsolicited response`},
		{"debug,json", os.Interrupt, 130, `"level":"INFO","msg":"Unsolicited response`},
		{"warn", syscall.SIGTERM, 0, ""},
	} {
		code, stderr := child(t, "QUARRY_LOG="+c.log, c.signal)
		if code != c.code || !strings.Contains(stderr, c.want) || c.want == "" && stderr != "" {
			t.Errorf("%q, %v: exit code %d, %q", c.log, c.signal, code, stderr)
		}
	}
	var out bytes.Buffer
	if _, err := newLog(&out, "loud"); err == nil || !strings.Contains(err.Error(), `"loud"`) {
		t.Errorf("%v", err)
	}
}
