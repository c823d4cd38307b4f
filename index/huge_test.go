package index_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// Of the child.
const (
	hugeDoc = "QUARRY_INDEX_HUGE" // budget, bytes of text, kind
	hugeDir = "QUARRY_INDEX_HUGE_DIR"
)

// hugeText makes a text of so many bytes: of few different words, or of words that
// are all different.
func hugeText(n int, different bool) string {
	var b strings.Builder
	b.Grow(n + 20)
	for i := 0; b.Len() < n; i++ {
		word := i % 5000
		if different {
			word = i
		}
		b.WriteString("w")
		b.WriteString(strconv.Itoa(word))
		b.WriteByte(' ')
	}
	return b.String()
}

// hugeChild adds a document and prints by how many bytes that has made the process
// grow, beside the text.
func hugeChild(of string) {
	var budget int64
	var bytes int
	var kind string
	fmt.Sscan(of, &budget, &bytes, &kind)
	text := hugeText(bytes, kind == "different")
	ix, err := index.Open(os.Getenv(hugeDir), index.Options{MemoryBudget: budget, Schema: index.Schema{{Name: "body", Stored: kind == "stored"}}})
	if err == nil {
		var w *index.Writer
		if w, err = ix.Writer(); err == nil {
			debug.FreeOSMemory()
			before := resident("VmRSS")
			os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // the peak begins anew
			err = w.Add(context.Background(), index.Document{Key: "a", Fields: []index.Field{{Name: "body", Value: text}}})
			if err == nil {
				err = w.Commit(context.Background())
			}
			fmt.Println(resident("VmHWM")-before, len(text), err)
			os.Exit(0)
		}
	}
	fmt.Println(err)
	os.Exit(1)
}

func resident(what string) int64 {
	b, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(b), what+":")
	n, _ := strconv.ParseInt(strings.Fields(rest + " 0")[0], 10, 64)
	return n << 10
}

// A huge document takes a few times the budget at most, or is refused.
func TestHugeDocument(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the memory of a process is read from /proc")
	}
	if testing.Short() || few > 1 {
		t.Skip("takes long")
	}
	t.Parallel()
	for _, c := range []struct {
		budget  int64
		bytes   int
		kind    string
		refused bool
	}{
		{64 << 20, 12_000_000, "stored", false},
		{64 << 20, 35_000_000, "few", false},
		{64 << 20, 35_000_000, "different", true},
		{64 << 20, 80_000_000, "stored", true},
		{1 << 20, 3_000_000, "stored", false},
		{1 << 20, 80_000_000, "stored", true},
	} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d %s", hugeDoc, c.budget, c.bytes, c.kind), hugeDir+"="+t.TempDir())
		out, err := cmd.Output()
		var grown, text int64
		if fmt.Sscan(string(out), &grown, &text); err != nil || grown == 0 {
			t.Fatalf("%+v: %s, %v", c, out, err)
		}
		if refused := strings.Contains(string(out), index.ErrTooLarge.Error()); refused != c.refused || !refused && !strings.Contains(string(out), "<nil>") {
			t.Errorf("%+v: %s", c, out)
		}
		t.Logf("budget %3d MiB, text %3d MB, %s: %d MB more, refused %v", c.budget>>20, text/1e6, c.kind, grown/1e6, c.refused)
		if most := 2*max(c.budget, 16<<20) + 32<<20; grown > most {
			t.Errorf("%+v: %d bytes more, want %d at most", c, grown, most)
		}
	}
}

// What is refused for its size leaves all else as it is, also the earlier document
// of its key, and what a call with a deadline has begun is given up in time.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{MemoryBudget: 1}, numberedDocs(0, 10)...)
	w := writer(t, ix)
	huge := index.Document{Key: "n3", Fields: []index.Field{{Name: "body", Value: hugeText(6<<20, true)}}}
	var docs []index.Document
	docs = append(append(docs, numberedDocs(10, 20)...), huge)
	docs = append(docs, numberedDocs(20, 30)...)
	err := w.Add(t.Context(), docs...)
	if of, ok := errors.AsType[*index.DocumentError](err); !ok || of.Key != "n3" || !errors.Is(err, index.ErrTooLarge) {
		t.Fatal(err)
	}
	must(t, w.Commit(t.Context()))
	if got := keys(t, ix, query.Match{Text: "all"}); len(got) != 30 {
		t.Errorf("%d documents", len(got))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	large := index.Document{Key: "n4", Fields: []index.Field{{Name: "body", Value: hugeText(8<<20, false)}}}
	if err := w.Add(ctx, large); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a deadline: %v", err)
	}
	must(t, w.Commit(t.Context()))
	if got := keys(t, ix, query.Match{Text: "all"}); len(got) != 30 {
		t.Errorf("%d documents after a deadline", len(got))
	}
}
