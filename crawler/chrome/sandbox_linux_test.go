package chrome_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
	"github.com/webquarry/quarry/frontier"
)

// renderers counts the processes of a browser that pages run in, and those of them
// whose system calls are filtered and that are in a namespace of their own.
func renderers(group int) (all, confined int) {
	own, _ := os.Readlink("/proc/self/ns/user")
	entries, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range entries {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if g, err := syscall.Getpgid(pid); err != nil || g != group {
			continue
		}
		line, _ := os.ReadFile(dir + "/cmdline")
		if !bytes.Contains(line, []byte("--type=renderer")) {
			continue
		}
		all++
		status, _ := os.ReadFile(dir + "/status")
		if ns, _ := os.Readlink(dir + "/ns/user"); bytes.Contains(status, []byte("Seccomp:\t2")) && ns != own {
			confined++
		}
	}
	return all, confined
}

// The browser has its sandbox, for root too, unless it is told to have none; and
// that is logged.
func TestSandbox(t *testing.T) {
	t.Parallel()
	s := serve(t, pages{"/": "<p>hello"})
	for _, none := range []bool{false, true} {
		var log bytes.Buffer
		f := own(t, &chrome.Fetcher{NoSandbox: none, Log: slog.New(slog.NewTextHandler(&log, nil))})
		resp, err := f.Fetch(t.Context(), frontier.Request{URL: s.URL})
		if errors.Is(err, chrome.ErrSandbox) {
			t.Skipf("here the browser has no sandbox: %v", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		wantBody(t, resp, "<p>hello")
		all, confined := renderers(chrome.Pid(f))
		if all == 0 || confined != map[bool]int{false: all, true: 0}[none] {
			t.Errorf("no sandbox %v: %d of %d processes are confined", none, confined, all)
		}
		if got := strings.Contains(log.String(), "without its sandbox"); got != none {
			t.Errorf("no sandbox %v: log %q", none, log.String())
		}
	}
}

// A browser that cannot have its sandbox ends a crawl at once, and the error says
// what is to be done.
func TestNoSandbox(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chrome")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho 'FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox!' >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	f := &chrome.Fetcher{UserAgent: agent, Path: path}
	defer f.Close()
	_, err := f.Fetch(context.Background(), frontier.Request{URL: "http://a.example/"})
	if _, ok := errors.AsType[*chrome.StartError](err); !ok || !errors.Is(err, chrome.ErrSandbox) || !strings.Contains(err.Error(), "or set NoSandbox") {
		t.Errorf("got %v", err)
	}
	c := crawler.Crawler{UserAgent: agent, Fetcher: f, IgnoreRobots: true}
	if err := c.Run(t.Context(), "http://a.example/"); !errors.Is(err, chrome.ErrSandbox) {
		t.Errorf("the crawl ends with %v", err)
	}
}
