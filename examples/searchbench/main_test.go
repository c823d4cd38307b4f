package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// built makes an index of lines.
func built(t *testing.T, o buildOptions, lines ...string) string {
	t.Helper()
	corpus, dir := filepath.Join(t.TempDir(), "corpus.jsonl"), filepath.Join(t.TempDir(), "index")
	if err := os.WriteFile(corpus, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := build(t.Context(), o, corpus, dir, &out); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("\ndocs=%d\n", len(lines)); !strings.Contains(out.String(), want) || !strings.HasPrefix(out.String(), "settle_s=") {
		t.Errorf("build printed %q", out.String())
	}
	return dir
}

// asked sends lines to a server and returns its answers, without times.
func asked(t *testing.T, dir string, lines ...string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"serve", dir}, strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for i, a := range answers {
		if head, ns, ok := cutLast(a, "\t"); ok {
			if _, err := strconv.Atoi(ns); err != nil {
				t.Errorf("answer %q does not end with nanoseconds", a)
			}
			answers[i] = head
		}
	}
	return answers
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

var threeFruits = []string{
	`{"id":"0","url":"https://a.example/","title":"Red apple","body":"An apple a day, so APPLES."}`,
	`{"id":"1","title":"Green pear","body":"A pear on a red table\nwith one apple."}`,
	`{"id":"2","title":"Plum","body":"plum PLUM pl\u0075m"}`,
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	dir := built(t, buildOptions{threads: 2, merge: true, analyzer: asciiName}, threeFruits...)
	for _, c := range []struct{ line, want string }{
		{"COUNT\tapple", "2\t"},
		{"COUNT\t+apple +red", "2\t"},
		{"COUNT\tapple plum", "3\t"},
		{"COUNT\t\"red apple\"", "1\t"},
		{"COUNT\tred-apple", "1\t"},
		{"COUNT\t+red -pear", "1\t"},
		{"COUNT\t+red pear", "2\t"},
		{"COUNT\tpre:appl", "2\t"},
		{"COUNT\tfuz1:aple", "2\t"},
		{"COUNT\tfuz1:plmu", "1\t"}, // a swap is one edit
		{"COUNT\tfuz2:parr", "1\t"},
		{"COUNT\tfuz1:zzzzz", "0\t"},
		{"COUNT\tnothing", "0\t"},
		{"NOOP\tapple", "UNSUPPORTED"},
		{"TOP_0\tapple", "UNSUPPORTED"},
		{"COUNT\t", "ERROR " + errEmptyQuery.Error()},
		{"COUNT\t\"open", "ERROR an unclosed phrase in \"\\\"open\""},
		{"COUNT\t+ -", "ERROR a clause without words in \"+ -\""},
	} {
		if got := asked(t, dir, c.line); got[0] != c.want {
			t.Errorf("%s: got %q, want %q", c.line, got[0], c.want)
		}
	}
	got := asked(t, dir, "TOP_1\tapple", "TOP_1_COUNT\tapple")
	if !strings.HasPrefix(got[0], "1\t0:0.") || got[1] != "2"+got[0][1:] {
		t.Errorf("top: %q", got)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"stats", dir}, nil, &out); err != nil {
		t.Fatal(err)
	}
	if want := "engine\tQuarry\ndocs\t3\nsegments\t1\nsettings\t"; !strings.HasPrefix(out.String(), want) {
		t.Errorf("stats: %q", out.String())
	}
}

// Another analyzer is used for queries too.
func TestEnglish(t *testing.T) {
	t.Parallel()
	dir := built(t, buildOptions{threads: 1, analyzer: "english"}, threeFruits...)
	if got := asked(t, dir, "COUNT\ttables", "COUNT\t+plums"); got[0] != "1\t" || got[1] != "1\t" {
		t.Errorf("got %q", got)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.jsonl")
	if err := os.WriteFile(bad, []byte("{\"id\":\"0\"}\n{\"title\":\"x\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "usage"},
		{[]string{"serve", dir}, "holds no index"},
		{[]string{"stats", filepath.Join(dir, "none")}, "holds no index"},
		{[]string{"build", "x"}, "usage"},
		{[]string{"build", filepath.Join(dir, "none"), filepath.Join(dir, "i")}, "no such file"},
		{[]string{"build", bad, filepath.Join(dir, "j")}, "bad.jsonl: line 2: a document without id"},
	} {
		if err := run(t.Context(), c.args, nil, &bytes.Buffer{}); err == nil || strings.Count(err.Error(), c.want) != 1 {
			t.Errorf("%q: got %v, want %s once", c.args, err, c.want)
		}
	}
}

// TestOddLines: a line in, a line out, however long; blank lines of a corpus and a
// mark before its first are nothing.
func TestOddLines(t *testing.T) {
	t.Parallel()
	corpus, dir := filepath.Join(t.TempDir(), "corpus.jsonl"), filepath.Join(t.TempDir(), "index[1")
	if err := os.WriteFile(corpus, []byte("\ufeff"+threeFruits[0]+"\r\n\r\n \t\n"+threeFruits[1]+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), []string{"build", corpus, dir}, nil, io.Discard); err != nil {
		t.Fatal(err)
	}
	got := asked(t, dir, "COUNT\tapple\r", "COUNT\t"+strings.Repeat("a ", maxQuery), "", "COUNT\tpear")
	want := []string{"2\t", fmt.Sprintf("ERROR a line of more than %d bytes", maxQuery), "UNSUPPORTED", "1\t"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-h"}, nil, &out); err != nil || !strings.HasPrefix(out.String(), "usage: ") {
		t.Errorf("-h: %v, %q", err, out.String())
	}
}

// What is answered is what a plain reading of the texts gives, with one segment
// and with several.
func TestOracle(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 6))
	var texts, corpus []string
	for i := range 600 {
		text := randomText(r, 1+r.IntN(60))
		texts = append(texts, text)
		corpus = append(corpus, fmt.Sprintf(`{"id":"%03d","title":"","body":%q}`, i, text))
	}
	o := newOracle(texts)
	for _, merge := range []bool{false, true} {
		dir := built(t, buildOptions{threads: 3, merge: merge, analyzer: asciiName}, corpus...)
		var lines []string
		for range 300 {
			lines = append(lines, randomClauses(r))
		}
		for i, line := range lines {
			lines[i] = "TOP_10_COUNT\t" + line
		}
		for i, got := range asked(t, dir, lines...) {
			if err := o.check(strings.TrimPrefix(lines[i], "TOP_10_COUNT\t"), got); err != nil {
				t.Fatalf("%s: %v", lines[i], err)
			}
		}
	}
}

var fewWords = strings.Fields("a ab abc abd bad dab the them then hen cart card")

func randomWord(r *rand.Rand) string {
	return fewWords[min(r.IntN(len(fewWords)), r.IntN(len(fewWords)))]
}

func randomText(r *rand.Rand, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = randomWord(r)
	}
	return strings.Join(words, " ")
}

func randomClauses(r *rand.Rand) string {
	clauses := []string{[]string{"", "+"}[r.IntN(2)] + randomClause(r)}
	for range r.IntN(4) {
		clauses = append(clauses, []string{"", "+", "-"}[r.IntN(3)]+randomClause(r))
	}
	return strings.Join(clauses, " ")
}

func randomClause(r *rand.Rand) string {
	switch r.IntN(8) {
	case 0, 1:
		return `"` + randomText(r, 2+r.IntN(2)) + `"`
	case 2:
		w := randomWord(r)
		return "pre:" + w[:1+r.IntN(len(w))]
	case 3:
		return fmt.Sprintf("fuz%d:%s", 1+r.IntN(2), randomWord(r))
	}
	return randomWord(r)
}
