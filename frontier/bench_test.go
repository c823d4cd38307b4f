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

// benchURL makes URLs of realistic length, 70 bytes and more, on so many hosts,
// each of a domain of its own.
func benchURL(b []byte, n, hosts int) []byte {
	b = append(b, "https://www.some-host-"...)
	b = strconv.AppendInt(b, int64(n%hosts), 10)
	b = append(b, ".example/articles/"...)
	b = strconv.AppendInt(b, int64(n/hosts%50), 10)
	b = append(b, "/some-words-of-a-title-"...)
	b = strconv.AppendInt(b, int64(n), 10)
	return append(b, ".html"...)
}

// links are the URLs of pages, as a page has them: forty at a time, by one via.
func links(from, n, hosts int) []frontier.Request {
	reqs := make([]frontier.Request, n)
	via := string(benchURL(nil, from/1000, hosts))
	var b []byte
	for i := range reqs {
		b = benchURL(b[:0], from+i, hosts)
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
		seen := statsOf(d).Seen
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
		b.ReportMetric(float64(heap()-before)/float64(statsOf(f).Seen), "B/url")
	}
	runtime.KeepAlive(f)
	if c, ok := f.(*frontier.Memory); ok {
		c.Close()
	}
}

// BenchmarkAddNew adds URLs that are new, forty at a time. An operation is one URL.
func BenchmarkAddNew(b *testing.B) {
	const page, hosts = 40, 10_000
	eachKind(b, func(b *testing.B, f frontier.Frontier) {
		before := heap()
		batch := links(0, 1000, hosts)
		n := 0
		for b.Loop() {
			if n%1000 == 0 {
				b.StopTimer()
				batch = links(n, 1000, hosts)
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
		all := links(0, known, 10_000)
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

// BenchmarkNextDone leases URLs and ends the leases with sixteen workers, while a
// million hosts are ready; with -short, twenty thousand. An operation is one visit.
func BenchmarkNextDone(b *testing.B) {
	const workers, visits = 16, 1600
	hosts := 1_000_000
	if testing.Short() {
		hosts = 20_000
	}
	eachKind(b, func(b *testing.B, f frontier.Frontier) {
		added, n := 0, 0
		for b.Loop() {
			if n++; n%visits != 0 {
				continue
			}
			if n > added {
				b.StopTimer()
				addPerHost(b, f, added, hosts)
				added += hosts
				b.StartTimer()
			}
			var wg sync.WaitGroup
			for range workers {
				wg.Go(func() { visit(b, f, visits/workers) })
			}
			wg.Wait()
		}
		report(b, f, n/visits*visits, 0)
	})
}

// addPerHost adds one URL of each host.
func addPerHost(b *testing.B, f frontier.Frontier, from, hosts int) {
	b.Helper()
	for at := 0; at < hosts; at += 1000 {
		n := min(1000, hosts-at)
		if added, err := f.Add(b.Context(), links(from+at, n, hosts)...); added != n || err != nil {
			b.Fatal(added, err)
		}
	}
}

func visit(b *testing.B, f frontier.Frontier, n int) {
	for range n {
		req, err := f.Next(b.Context())
		if err == nil {
			err = f.Done(b.Context(), req, frontier.Outcome{})
		}
		if err != nil {
			b.Error(err)
			return
		}
	}
}
