package index_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

const (
	killDir = "QUARRY_INDEX_KILL_DIR"
	killVec = "QUARRY_INDEX_KILL_VECTORS_DIR"
	kills   = "QUARRY_INDEX_KILLS" // how many; a few are made otherwise
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(killDir); dir != "" {
		victim(dir)
	}
	if dir := os.Getenv(killVec); dir != "" {
		vectorVictim(dir)
	}
	if of := os.Getenv(hugeDoc); of != "" {
		hugeChild(of)
	}
	if dir := os.Getenv(soakDir); dir != "" {
		soakChild(dir)
	}
	if dir := os.Getenv(atOnceDir); dir != "" {
		atOnceChild(dir)
	}
	if role := roles[os.Getenv(scaleRole)]; role != nil {
		if err := role(os.Getenv(scaleDir)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// killed are the options of the index that a victim writes.
var killed = index.Options{
	Schema: append(slices.Clone(priced.Schema), index.FieldType{Name: "anchor", Anchors: 1}),
	Order:  index.ByColumn, OrderColumn: "price",
}

// victim commits for ever, and says after each commit which one it was. Commit
// i adds ten documents, replaces one, deletes one, sets the prices of two, and has
// links to one of its documents, one of the next commit, and one of the first.
func victim(dir string) {
	fail := func(err error) {
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	ix, err := index.Open(dir, killed)
	fail(err)
	w, err := ix.Writer()
	fail(err)
	s, err := ix.Snapshot()
	fail(err)
	ctx := context.Background()
	for i := s.Docs() / 9; ; i++ {
		fail(w.Add(ctx, numberedDocs(i*10, i*10+10)...))
		fail(w.Delete(ctx, fmt.Sprintf("n%d", i*10)))
		fail(w.Add(ctx, numberedDocs(i*10+1, i*10+2)...))
		for _, key := range []int{i*10 + 2, i*10 - 7} { // of this commit, and the one before
			_, err := w.Set(ctx, fmt.Sprintf("n%d", key), price(i))
			fail(err)
		}
		fail(linkAll(ctx, w, fmt.Sprintf("n%d s linked", i*10+3), fmt.Sprintf("n%d s linked", i*10+14), fmt.Sprintf("n5 s v%d", i)))
		if i%20 == 19 {
			fail(w.Merge(ctx))
		} else {
			fail(w.Commit(ctx))
		}
		fmt.Println(i)
	}
}

// A process that is killed while it writes leaves its last commit, or one that
// it had no time to tell of.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rounds := 10
	if testing.Short() {
		rounds = 3
	}
	if n, err := strconv.Atoi(os.Getenv(kills)); err == nil {
		rounds = n
	}
	rnd := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	last := -1
	for round := range rounds {
		last = killOne(t, killDir, dir, last, time.Duration(rnd.IntN(150))*time.Millisecond)
		ix, err := index.Open(dir, index.Options{})
		must(t, err)
		s, err := ix.Snapshot()
		must(t, err)
		commits := s.Docs() / 9
		if s.Docs()%9 != 0 || commits != last+1 && commits != last+2 {
			t.Fatalf("round %d: %d documents after commit %d", round, s.Docs(), last)
		}
		if n := len(keysOf(t, s, query.Match{Text: "hold"})); n != s.Docs() {
			t.Fatalf("round %d: %d of %d documents found", round, n, s.Docs())
		}
		set, err := s.Search(t.Context(), query.Exists{Field: "price"}, index.SearchOptions{Limit: 1, Sort: []index.SortBy{{Field: "price", Descending: true}}, Fields: []string{"price"}})
		must(t, err)
		if set.Total.Value != 2*commits-1 || set.Hits[0].Text("price") != strconv.Itoa(commits-1) {
			t.Fatalf("round %d: after commit %d %+v", round, commits-1, set)
		}
		if n := len(keysOf(t, s, query.Term{Field: "anchor", Text: "linked"})); n != 2*commits-1 {
			t.Fatalf("round %d: after commit %d %d documents have anchors", round, commits-1, n)
		}
		if got := keysOf(t, s, query.Match{Field: "anchor", Text: fmt.Sprint("v", commits-1)}); len(got) != 1 {
			t.Fatalf("round %d: after commit %d the newest anchor is of %v", round, commits-1, got)
		}
		must(t, s.Verify(t.Context()), s.Close(), ix.Close())
		last = commits - 1
	}
}

// killOne runs a victim, kills it some time after its first commit, and
// returns the last commit that it told of.
func killOne(t *testing.T, env, dir string, last int, after time.Duration) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), env+"="+dir)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for first := true; lines.Scan(); first = false {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Errorf("the victim says %s", lines.Text())
			break
		}
		if first {
			time.AfterFunc(after, func() { cmd.Process.Kill() })
		}
		last = n
	}
	cmd.Process.Kill()
	cmd.Wait()
	return last
}

func keysOf(t *testing.T, s index.Searcher, q query.Query) []string {
	t.Helper()
	res, err := s.Search(t.Context(), q, index.SearchOptions{Limit: 1 << 31})
	must(t, err)
	var out []string
	for _, h := range res.Hits {
		out = append(out, h.Key)
	}
	return out
}
