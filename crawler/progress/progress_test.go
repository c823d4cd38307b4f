package progress

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func counter() func() string {
	var n atomic.Int64
	return func() string { return fmt.Sprintf("%d pages", n.Add(1)) }
}

// In a log there is a line every five seconds, and none after the end.
func TestLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		end := Show(&out, counter())
		time.Sleep(2*elsewhere + time.Second)
		end()
		time.Sleep(10 * elsewhere)
		if got, want := out.String(), "1 pages\n2 pages\n"; got != want {
			t.Errorf("wrote %q, want %q", got, want)
		}
	})
}

// A terminal's line is written, and ends with the work.
func TestLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	state := counter()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { line(ctx, &out, state); close(ended) }()
	cancel()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the line does not end")
	}
	if strings.Contains(out.String(), "%!") {
		t.Errorf("wrote %q", out.String())
	}
}

func TestIsTerminal(t *testing.T) {
	t.Parallel()
	f, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if isTerminal(f) || isTerminal(new(bytes.Buffer)) {
		t.Error("a file or a buffer is taken for a terminal")
	}
}
