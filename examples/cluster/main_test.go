package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// TestDemonstration: by exchange all pages are found and none is visited twice, and each node has
// a share; the other modes cost pages, or visits.
func TestDemonstration(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{
		"exchange":   `(?s)node1 .*node2 .*node3 .*\n600 of 600 pages were found on 24 hosts, by 600 visits`,
		"firewall":   `\n\d\d?\d? of 600 pages`,
		"cross-over": `\n600 of 600 pages were found on 24 hosts, by 1[1-9]\d\d visits`,
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), []string{"-mode", mode}, &out, &errs); code != 0 || !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("%s: exit code %d\n%s%s", mode, code, &out, &errs)
		}
	}
}

// TestJoin crawls as a node by a server with a socket. There is nobody at the address of the
// seed, which is told by the exit code.
func TestJoin(t *testing.T) {
	t.Parallel()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.Shutdown()
	dir := t.TempDir()
	file := filepath.Join(dir, "pages.jsonl")
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"-nats", s.ClientURL(), "-dir", filepath.Join(dir, "node"), "-out", file, "-delay", "0", "http://127.0.0.1:1/"}, &out, &errs)
	if code != 1 || !strings.Contains(errs.String(), "127.0.0.1:1") || !strings.HasPrefix(out.String(), "0 pages") {
		t.Errorf("exit code %d: %s%s", code, &out, &errs)
	}
	if text, err := os.ReadFile(file); err != nil || len(text) > 0 && !json.Valid(text) {
		t.Errorf("%q, %v", text, err)
	}
}

func TestWrongCommandLines(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"http://a.example/": "for a node with -nats", "-nats nats://127.0.0.1:1": "wants -dir and -out", "-nodes 0": "want 1 to 16",
		"-nats nats://127.0.0.1:1 -mode cross-over -dir x -out y": "not polite", "-mode sideways": "not known",
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), strings.Fields(args), &out, &errs); code == 0 || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit code %d: %s%s", args, code, &out, &errs)
		}
	}
	var out, errs bytes.Buffer
	dir := t.TempDir()
	if code := run(t.Context(), []string{"-nats", "nats://127.0.0.1:1", "-dir", dir, "-out", filepath.Join(dir, "o")}, &out, &errs); code != 1 || !strings.Contains(errs.String(), "127.0.0.1:1") {
		t.Errorf("exit code %d: %s%s", code, &out, &errs)
	}
}
