package main

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler/job"
)

// TestExchange: a job that the console exports is run by examples/crawl as it is, with the same records; the console
// takes a file that crawl runs as it is, and the folder that crawl has made of one. It builds crawl, so
// not with -short.
func TestExchange(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: builds examples/crawl")
	}
	t.Parallel()
	d, s := server(t, "")
	work := t.TempDir()
	crawl, file, folder := filepath.Join(work, "crawl"), filepath.Join(work, "kettles.yaml"), filepath.Join(work, "kettles")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", crawl, "../crawl").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	post(t, s.URL+"/jobs/kettles/start", nil)
	ended(t, d, "kettles")
	code, text := get(t, s.URL+"/jobs/kettles/job.yaml")
	if code != 200 {
		t.Fatal(code, text)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), crawl, "-job", file, "-dir", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	kettles, err := d.find("kettles")
	if err != nil {
		t.Fatal(err)
	}
	want := urls(t, kettles.job)
	made, err := job.Open(folder, job.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := urls(t, made); len(want) != 24 || !slices.Equal(got, want) {
		t.Errorf("crawl took out %q, the console %q", got, want)
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}

	if code, text := post(t, s.URL+"/save", url.Values{"name": {"brought"}, "spec": {text}}); code != 200 || !exists(filepath.Join(d.dir, "brought", "job.yaml")) {
		t.Fatal(code, text)
	}
	if kept, err := os.ReadFile(filepath.Join(d.dir, "brought", "job.yaml")); err != nil || string(kept) != text {
		t.Errorf("%v, the console changed the file:\n%s", err, kept)
	}
	post(t, s.URL+"/jobs/brought/start", nil)
	ended(t, d, "brought")
	brought, err := d.find("brought")
	if err != nil {
		t.Fatal(err)
	}
	if got := urls(t, brought.job); !slices.Equal(got, want) {
		t.Errorf("a file that was brought: %q", got)
	}

	other := openTestDesk(t, work) // as -dir of a console, with the folder of crawl in it
	found, err := other.find("kettles")
	if err != nil {
		t.Fatal(err)
	}
	if got := urls(t, found.job); !slices.Equal(got, want) || len(found.job.Runs()) != 1 {
		t.Errorf("the folder of crawl in the console: %q", got)
	}
}

// urls are the pages of which a job has records.
func urls(t *testing.T, j *job.Job) (all []string) {
	t.Helper()
	for row, err := range j.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if len(row.Records) > 0 {
			all = append(all, row.URL)
		}
	}
	slices.Sort(all)
	if strings.Join(all, "") == "" {
		t.Error("there are no records")
	}
	return all
}
