package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestJob: a job in a file is crawled, recrawled and refused.
func TestJob(t *testing.T) {
	t.Parallel()
	web, _ := site(t, chain(5))
	dir := t.TempDir()
	file, folder := filepath.Join(dir, "chain.yaml"), filepath.Join(dir, "chain")
	spec := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	good := "seeds: http://www.site.test/\nuser-agent: acme/1.0 (+https://acme.example/bot)\npace: {delay: 0s}\n" +
		"fetch: {allow-private: true, proxies: '" + web.Serve(t).String() + "'}\noutput: {pages: pages.jsonl}\n"
	for _, step := range []struct {
		text string
		args []string
		code int
		want string
	}{
		{good, []string{"-dir", folder}, exitDone, `"new":5`},
		{good, []string{"-dir", folder}, exitDone, `"new":0`},
		{good, []string{"-dir", folder, "-recrawl"}, exitDone, `"same":5`},
		{"name: a\nsed: b\n", []string{"-dir", folder}, exitUsage, "line 2, column 1"},
		{good, nil, exitUsage, "-job needs -dir"},
		{good, []string{"-dir", folder, "-pages", "3"}, exitUsage, "-pages does not go with -job"},
		{good, []string{"-dir", folder, "http://a.test/"}, exitUsage, "takes no URLs"},
	} {
		spec(step.text)
		code, stderr := try(append([]string{"-job", file}, step.args...))
		if code != step.code || !strings.Contains(stderr, step.want) {
			t.Errorf("%q: exit code %d, %s", step.args, code, stderr)
		}
	}
	if code, stderr := try([]string{"-recrawl"}); code != exitUsage || !strings.Contains(stderr, "are for a -job") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	text, err := os.ReadFile(filepath.Join(folder, "pages.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var r struct{ URL, Kind string }
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Kind != "new" {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestJobBackup: a job is copied while it runs, and each whole copy goes on to the same end.
func TestJobBackup(t *testing.T) {
	t.Parallel()
	web, _ := site(t, chain(40))
	dir := t.TempDir()
	file, folder, copies := filepath.Join(dir, "chain.yaml"), filepath.Join(dir, "chain"), filepath.Join(dir, "copies")
	text := "seeds: http://www.site.test/\nuser-agent: acme/1.0 (+https://acme.example/bot)\npace: {delay: 20ms}\n" +
		"fetch: {allow-private: true, proxies: '" + web.Serve(t).String() + "'}\noutput: {pages: pages.jsonl}\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, stderr := try([]string{"-job", file, "-dir", folder, "-backup", copies, "-backup-every", "150ms"}); code != exitDone || !strings.Contains(stderr, `"new":40`) {
		t.Fatalf("%d %s", code, stderr)
	}
	all, err := filepath.Glob(filepath.Join(copies, "*", "job.yaml")) // the last one may have come too late
	if err != nil || len(all) == 0 {
		t.Fatalf("%v, %d copies", err, len(all))
	}
	for _, name := range all {
		if code, stderr := try([]string{"-job", file, "-dir", filepath.Dir(name)}); code != exitDone {
			t.Errorf("%d %s", code, stderr)
		}
		lines, err := os.ReadFile(filepath.Join(filepath.Dir(name), "pages.jsonl"))
		if err != nil || strings.Count(string(lines), "\n") != 40 {
			t.Errorf("%v, %d pages", err, strings.Count(string(lines), "\n"))
		}
	}
}
