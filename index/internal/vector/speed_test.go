//go:build unix

package vector

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/webquarry/quarry/index/internal/bitset"
)

// What TestSpeed goes by.
const (
	speedVectors = "QUARRY_VECTORS"       // how many vectors there are
	speedDims    = "QUARRY_VECTOR_DIMS"   // of how many numbers; 128
	speedRandom  = "QUARRY_VECTOR_RANDOM" // "1": random numbers, which have no structure
	speedPython  = "QUARRY_HNSWLIB"       // a Python with numpy and hnswlib, to measure beside
)

// processor is the time that the process has spent computing: what other programs do on a
// busy machine counts less than in the time of the clock.
func processor() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano())
}

// TestSpeed prints times and recall of exact and approximate searches, without filter
// and with, and those of hnswlib over the same vectors with the same M and efConstruction, each
// on one processor.
func TestSpeed(t *testing.T) {
	n, dims := 0, 128
	if fmt.Sscan(os.Getenv(speedVectors), &n); n == 0 {
		t.Skipf("set %s to a number of vectors", speedVectors)
	}
	fmt.Sscan(os.Getenv(speedDims), &dims)
	all, queries := clustered(1, n, dims), clustered(2, 100, dims)
	if os.Getenv(speedRandom) == "1" {
		for _, vectors := range [][][]float32{all, queries} {
			rnd := rand.New(rand.NewPCG(uint64(len(vectors)), 3))
			for _, v := range vectors {
				for i := range v {
					v[i] = float32(rnd.NormFloat64())
				}
			}
		}
	}
	o := Options{Dims: dims, Approximate: true}
	var b []byte
	took := measured(func() { b = written(t, o, n, given(all, 1), nil) })
	t.Logf("%d vectors of %d: written, M %d, efConstruction %d, in %v; %d bytes each", n, dims, o.m(), o.construct(), took, len(b)/n)
	r := opened(t, b, n)
	for _, percent := range []int{100, 50, 10, 1} {
		var filter *bitset.Set
		if percent < 100 {
			filter = bitset.New(uint32(n))
			rnd := rand.New(rand.NewPCG(uint64(percent), 4))
			for doc := range uint32(n) {
				if rnd.IntN(100) < percent {
					filter.Add(doc)
				}
			}
		}
		want := make([][]Hit, len(queries))
		s := Search{K: 10, Filter: filter, Check: never}
		search := func(into [][]Hit) {
			for i, v := range queries {
				s.Vector = v
				var err error
				if into[i], err = r.Nearest(s); err != nil {
					t.Fatal(err)
				}
			}
		}
		s.Exact = true
		took := measured(func() { search(want) })
		t.Logf("%3d %%: exact            %v a search", percent, took.per(len(queries)))
		s.Exact = false
		for _, s.Candidates = range []int{50, 100, 200, 400} {
			got := make([][]Hit, len(queries))
			took := measured(func() { search(got) })
			t.Logf("%3d %%: candidates %4d  %v a search, recall@10 %.4f", percent, s.Candidates, took.per(len(queries)), common(want, got))
		}
	}
	if python := os.Getenv(speedPython); python != "" {
		hnswlib(t, python, all, queries)
	}
}

// common is how much of what was wanted was found.
func common(want, got [][]Hit) float64 {
	found, all := 0, 0
	for i := range want {
		docs := map[uint32]bool{}
		for _, h := range want[i] {
			docs[h.Doc] = true
		}
		for _, h := range got[i] {
			if docs[h.Doc] {
				found++
			}
		}
		all += len(want[i])
	}
	return float64(found) / float64(all)
}

// times are those of a processor and of the clock.
type times struct{ processor, clock time.Duration }

func measured(f func()) times {
	p, c := processor(), time.Now()
	f()
	return times{processor() - p, time.Since(c)}
}

func (d times) per(n int) times {
	return times{d.processor / time.Duration(n), d.clock / time.Duration(n)}
}

func (d times) String() string {
	return fmt.Sprintf("%v (%v by the clock)", d.processor.Round(time.Microsecond), d.clock.Round(time.Microsecond))
}

func hnswlib(t *testing.T, python string, all, queries [][]float32) {
	dir := t.TempDir()
	for name, vectors := range map[string][][]float32{"all": all, "queries": queries} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		var b []byte
		for _, v := range vectors {
			b = b[:0]
			for _, x := range v {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
			}
			if _, err := f.Write(b); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(python, "testdata/compare.py", dir, fmt.Sprint(len(all[0])), fmt.Sprint(presetM), fmt.Sprint(presetEfConstruction)).CombinedOutput()
	for line := range strings.Lines(string(out)) {
		t.Log("hnswlib: ", strings.TrimSpace(line))
	}
	if err != nil {
		t.Fatal(err)
	}
}
