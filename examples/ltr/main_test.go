package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/webquarry/quarry/rank/ltr"
)

// A collection in which titles are made to deceive: what is relevant has the word twice in its body, and what is not, once in
// its title. The model learns that, and is significantly better on the queries that it has not seen.
func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var docs, queries, qrels strings.Builder
	r := rand.New(rand.NewPCG(1, 2))
	filler := func() string { return fmt.Sprintf("filler%d stuff%d thing%d", r.IntN(50), r.IntN(50), r.IntN(50)) }
	for q := range 20 {
		fmt.Fprintf(&queries, "%d\tword%d\n", q, q)
		for n := range 8 {
			id := fmt.Sprintf("d%d-%d", q, n)
			title, body := fmt.Sprintf("word%d %s", q, filler()), filler()
			if n < 3 {
				title, body = filler(), fmt.Sprintf("%s word%d %s word%d", filler(), q, filler(), q)
				fmt.Fprintf(&qrels, "%d 0 %s 1\n", q, id)
			}
			fmt.Fprintf(&docs, "{\"id\":%q,\"title\":%q,\"body\":%q}\n", id, title, body)
		}
	}
	args := []string{"-trees", "40", "-leaf", "10"}
	for flag, text := range map[string]string{"docs": docs.String(), "queries": queries.String(), "qrels": qrels.String()} {
		name := filepath.Join(dir, flag)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "-"+flag, name)
	}
	model, features := filepath.Join(dir, "model.txt"), filepath.Join(dir, "features.svm")
	var out strings.Builder
	if err := run(t.Context(), append(args, "-model", model, "-features", features), &out); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`both: 20 +map +0\.[0-9]+ +1\.0000 +20 +0 +0\.0000 +0\.0000\n`).MatchString(out.String()) {
		t.Error(out.String())
	}
	for name, read := range map[string]func(*os.File) (int, error){
		model:    func(f *os.File) (int, error) { m, err := ltr.ReadLightGBM(f); return m.Trees() - 39, err },
		features: func(f *os.File) (int, error) { d, err := ltr.ReadSVMlight(f); return len(d.Groups) - 19, err },
	} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if n, err := read(f); err != nil || n != 1 {
			t.Errorf("%s: %d %v", name, n, err)
		}
	}
	for _, bad := range [][]string{{"-nonsense"}, {}, {"-docs", "missing"}, {"-docs", features, "-queries", features, "-qrels", features}} {
		if err := run(t.Context(), bad, &out); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}
