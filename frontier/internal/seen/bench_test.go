//go:build unix

package seen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/webquarry/quarry/internal/durable"
)

// benchKeys is how many fingerprints are in the sets of the benchmarks, or get
// there; SEEN_KEYS=100000000 measures the size that the set is made for.
func benchKeys() int {
	if n, err := strconv.Atoi(os.Getenv("SEEN_KEYS")); err == nil {
		return n
	}
	return 4_000_000
}

// benchMapped is how many bytes of runs are mapped: SEEN_MAPPED.
func benchMapped() int {
	n, _ := strconv.Atoi(os.Getenv("SEEN_MAPPED"))
	return n
}

// fingerprint is the n-th of the fingerprints of a benchmark.
func fingerprint(n int) uint64 { return mix(uint64(n) + 1) }

// links is how many fingerprints are added at once, as of the links of a page.
const links = 100

func fill(b *testing.B, s *Set, from, to int) {
	var fps [links]uint64
	for n := from; n < to; n += links {
		for i := range fps {
			fps[i] = fingerprint(n + i)
		}
		if _, err := s.Add(b.Context(), fps[:], nil); err != nil {
			b.Fatal(err)
		}
	}
}

func benchSet(b *testing.B, keys int) *Set {
	dir, err := durable.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	s, err := Open(dir, Options{Mapped: benchMapped()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		s.Close()
		dir.Close()
	})
	fill(b, s, 0, keys)
	return s
}

// watch measures from a moment on, and the processor time of all threads: rates
// of time that has passed say little on a machine that others use too.
type watch struct {
	start time.Time
	cpu   time.Duration
}

func newWatch() watch { return watch{time.Now(), cpuTime()} }

func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// rates are URLs for a second that has passed, and for one of processor time.
func (w watch) rates(urls int) (real, cpu float64) {
	return float64(urls) / time.Since(w.start).Seconds(), float64(urls) / (cpuTime() - w.cpu).Seconds()
}

func report(b *testing.B, s *Set, w watch, urls int) {
	rate, cpu := w.rates(urls)
	b.ReportMetric(rate, "urls/s")
	b.ReportMetric(cpu, "urls/cpu-s")
	u := s.Usage()
	b.ReportMetric(float64(u.Memory)/float64(s.Len()), "B-memory/url")
	b.ReportMetric(float64(u.Disk)/float64(s.Len()), "B-disk/url")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkGrow adds all keys to an empty set, and reports how fast that was for
// the first tenth, for the last, and on the whole, writing and merging included.
func BenchmarkGrow(b *testing.B) {
	tenth := benchKeys() / 10
	for b.Loop() {
		s := benchSet(b, 0)
		all := newWatch()
		for i := range 10 {
			w := newWatch()
			fill(b, s, i*tenth, (i+1)*tenth)
			rate, cpu := w.rates(tenth)
			if testing.Verbose() {
				fmt.Printf("%11d keys %9.0f urls/s %9.0f urls/cpu-s %+v\n", s.Len(), rate, cpu, s.Usage())
			}
			switch i {
			case 0:
				b.ReportMetric(cpu, "first-urls/cpu-s")
			case 9:
				b.ReportMetric(cpu, "last-urls/cpu-s")
			}
		}
		report(b, s, all, 10*tenth)
	}
}

// BenchmarkAdd adds fingerprints to a set that has many: random ones that are in
// it, such of which the n-th comes 1/n as often as the first, such that are not in it,
// and random ones of the last hundred thousand.
func BenchmarkAdd(b *testing.B) {
	keys := benchKeys()
	s := benchSet(b, keys)
	rng := rand.New(rand.NewPCG(1, 2))
	known := func(b *testing.B, next func() int) {
		fps, isNew := make([]uint64, links), make([]bool, links)
		w, urls := newWatch(), 0
		for b.Loop() {
			for i := range fps {
				fps[i] = fingerprint(next())
			}
			if added, err := s.Add(b.Context(), fps, isNew); added > 0 || err != nil {
				b.Fatal(added, err)
			}
			urls += links
		}
		report(b, s, w, urls)
	}
	b.Run("recent", func(b *testing.B) { known(b, func() int { return keys - 1 - rng.IntN(100_000) }) })
	b.Run("known", func(b *testing.B) { known(b, func() int { return rng.IntN(keys) }) })
	b.Run("often", func(b *testing.B) {
		known(b, func() int { return int(math.Exp(rng.Float64()*math.Log(float64(keys)))) - 1 })
	})
	b.Run("new", func(b *testing.B) {
		w, urls := newWatch(), 0
		for next := s.Len(); b.Loop(); urls += links {
			fill(b, s, next+urls, next+urls+links)
		}
		report(b, s, w, urls)
	})
}

// BenchmarkMap does what BenchmarkAdd does with a map, for comparison on the same
// machine at the same time.
func BenchmarkMap(b *testing.B) {
	keys := benchKeys()
	m := map[uint64]struct{}{}
	for i := range keys {
		m[fingerprint(i)] = struct{}{}
	}
	rates := func(b *testing.B, w watch, urls int) {
		rate, cpu := w.rates(urls)
		b.ReportMetric(rate, "urls/s")
		b.ReportMetric(cpu, "urls/cpu-s")
		b.ReportMetric(0, "ns/op")
	}
	b.Run("known", func(b *testing.B) {
		rng := rand.New(rand.NewPCG(1, 2))
		w, urls := newWatch(), 0
		for ; b.Loop(); urls += links {
			for range links {
				if _, ok := m[fingerprint(rng.IntN(keys))]; !ok {
					b.Fatal("not in the map")
				}
			}
		}
		rates(b, w, urls)
	})
	b.Run("new", func(b *testing.B) {
		w, urls := newWatch(), 0
		for next := len(m); b.Loop(); urls += links {
			for i := range links {
				m[fingerprint(next+urls+i)] = struct{}{}
			}
		}
		rates(b, w, urls)
	})
}
