package frontier_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// benchHosts is how many hosts the URLs of a benchmark are on.
const benchHosts = 10_000

// benchURL makes URLs of realistic length, 70 bytes and more.
func benchURL(b []byte, n int) []byte {
	b = append(b, "https://www.host-"...)
	b = strconv.AppendInt(b, int64(n%benchHosts), 10)
	b = append(b, ".example.com/articles/"...)
	b = strconv.AppendInt(b, int64(n/benchHosts%50), 10)
	b = append(b, "/some-words-of-a-title-"...)
	b = strconv.AppendInt(b, int64(n), 10)
	return append(b, ".html"...)
}

// links are the URLs of pages, as a page has them: forty at a time, by one via.
func links(from, n int) []frontier.Request {
	reqs := make([]frontier.Request, n)
	via := string(benchURL(nil, from/1000))
	var b []byte
	for i := range reqs {
		b = benchURL(b[:0], from+i)
		reqs[i] = frontier.Request{URL: string(b), Via: via, Depth: 1}
	}
	return reqs
}

// benchLimits leave nothing but the frontier to wait for.
var benchLimits = frontier.Limits{PerHost: -1, PerDomain: -1, Global: -1, Delay: -1}

// eachKind runs a benchmark with each kind of frontier. The one on disk syncs
// once a second.
func eachKind(b *testing.B, f func(b *testing.B, f frontier.Frontier)) {
	opt := frontier.Options{Limits: benchLimits, SyncEvery: time.Second}
	b.Run("memory", func(b *testing.B) { f(b, frontier.New(opt)) })
	b.Run("disk", func(b *testing.B) {
		dir := b.TempDir()
		d, err := frontier.Open(dir, opt)
		if err != nil {
			b.Fatal(err)
		}
		f(b, d)
		b.StopTimer()
		seen := d.Stats().Seen
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(diskSize(b, dir))/float64(seen), "diskB/url")
	})
}

func diskSize(b *testing.B, dir string) (size int64) {
	b.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range files {
		st, err := os.Stat(filepath.Join(dir, f.Name()))
		if err != nil {
			b.Fatal(err)
		}
		size += st.Size()
	}
	return size
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// report gives URLs a second, and heap bytes for each URL in the frontier.
func report(b *testing.B, f frontier.Frontier, urls int, before uint64) {
	b.Helper()
	b.ReportMetric(float64(urls)/b.Elapsed().Seconds(), "urls/s")
	if before > 0 {
		b.ReportMetric(float64(heap()-before)/float64(f.(interface{ Stats() frontier.Stats }).Stats().Seen), "B/url")
	}
	runtime.KeepAlive(f)
	if c, ok := f.(*frontier.Memory); ok {
		c.Close()
	}
}

// BenchmarkAddNew adds URLs that are new, forty at a time. An operation is one URL.
func BenchmarkAddNew(b *testing.B) {
	const page = 40
	eachKind(b, func(b *testing.B, f frontier.Frontier) {
		before := heap()
		batch := links(0, 1000)
		n := 0
		for b.Loop() {
			if n%1000 == 0 {
				b.StopTimer()
				batch = links(n, 1000)
				b.StartTimer()
			}
			if n++; n%page == 0 {
				at := (n - page) % 1000
				if added, err := f.Add(b.Context(), batch[at:at+page]...); added != page || err != nil {
					b.Fatal(added, err)
				}
			}
		}
		batch = nil
		report(b, f, n, before)
	})
}

// BenchmarkAddKnown adds URLs that are known, forty at a time, out of a hundred
// thousand. An operation is one URL.
func BenchmarkAddKnown(b *testing.B) {
	const page, known = 40, 100_000
	eachKind(b, func(b *testing.B, f frontier.Frontier) {
		all := links(0, known)
		if n, err := f.Add(b.Context(), all...); n != known || err != nil {
			b.Fatal(n, err)
		}
		n := 0
		for b.Loop() {
			if n++; n%page == 0 {
				at := (n - page) % known
				if added, err := f.Add(b.Context(), all[at:at+page]...); added != 0 || err != nil {
					b.Fatal(added, err)
				}
			}
		}
		report(b, f, n, 0)
	})
}

// BenchmarkNextDone leases URLs and ends the leases with sixteen workers.
func BenchmarkNextDone(b *testing.B) {
	const workers = 16
	eachKind(b, func(b *testing.B, f frontier.Frontier) {
		for from := 0; from < b.N; from += 1000 {
			n := min(1000, b.N-from)
			if added, err := f.Add(b.Context(), links(from, n)...); added != n || err != nil {
				b.Fatal(added, err)
			}
		}
		b.ResetTimer()
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for {
					req, err := f.Next(b.Context())
					if err != nil {
						return
					}
					if err := f.Done(b.Context(), req, frontier.Outcome{}); err != nil {
						b.Error(err)
					}
				}
			})
		}
		wg.Wait()
		report(b, f, b.N, 0)
	})
}
