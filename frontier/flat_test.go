package frontier_test

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/webquarry/quarry/frontier"
)

// TestFlat adds and visits URLs with a queue that stays as long as it is, and
// compares what the heap takes after some and after twice as many: no more than a
// tenth more, but for the set of URLs in memory, which is 20 bytes for each at most.
// A queue that was long in between leaves nothing behind. On disk the memory of the
// process is compared too, from ten million on, of which all is mapped that may be.
func TestFlat(t *testing.T) { // not in parallel: it measures the heap
	urls, _ := strconv.Atoi(os.Getenv(scaleURLs))
	urls = max(urls, 120_000/min(few, 2)) // half of them have to hold the queue and a wave
	opt := scaleOptions
	opt.SyncEvery = -1
	for name, open := range map[string]func(string) (frontier.Frontier, error){
		"memory": func(string) (frontier.Frontier, error) { return frontier.New(opt), nil },
		"disk":   func(dir string) (frontier.Frontier, error) { return frontier.Open(dir, opt) },
	} {
		t.Run(name, func(t *testing.T) {
			f, err := open(filepath.Join(scaleFolder(t), name))
			if err != nil {
				t.Fatal(err)
			}
			defer f.(interface{ Close() error }).Close()
			const queue = 10_000
			flatAdd(t, f, 0, queue)
			flatWave(t, f, queue, urls/4)
			flatCrawl(t, f, queue+urls/4, urls/2)
			debug.FreeOSMemory()
			before, half := heap(), resident()
			size := residentSize()
			flatWave(t, f, urls/2, urls/4)
			flatCrawl(t, f, urls/2+urls/4, urls)
			debug.FreeOSMemory()
			after := heap()
			t.Logf("heap %d kB (%s) after %d URLs, %d kB (%s) after %d", before>>10, half, urls/2, after>>10, resident(), urls)
			limit := before + before/10 + 20*uint64(urls)/2
			if name == "disk" && urls >= 4_000_000 { // its tables are as large as they get
				limit = before + before/10
			}
			if after > limit {
				t.Errorf("the heap has grown from %d to %d bytes, limit %d", before, after, limit)
			}
			if grown := residentSize(); name == "disk" && urls >= 20_000_000 && grown > size+size/10 {
				t.Errorf("the memory of the process has grown from %d to %d kB", size, grown)
			}
			if got := statsOf(f); got.Seen != urls || got.Queued != queue {
				t.Errorf("%+v", got)
			}
		})
	}
}

// flatWave makes the queue longer and short again.
func flatWave(t *testing.T, f frontier.Frontier, from, n int) {
	t.Helper()
	flatAdd(t, f, from, n)
	flatVisit(t, f, n)
}

// flatCrawl adds and visits, a thousand at a time, until so many URLs were added.
func flatCrawl(t *testing.T, f frontier.Frontier, from, to int) {
	t.Helper()
	for ; from < to; from += 1000 {
		n := min(1000, to-from)
		flatAdd(t, f, from, n)
		flatVisit(t, f, n)
	}
}

func flatAdd(t *testing.T, f frontier.Frontier, from, n int) {
	t.Helper()
	for ; n > 0; from, n = from+1000, n-1000 {
		reqs := links(from, min(n, 1000), 3000)
		if added, err := f.Add(t.Context(), reqs...); added != len(reqs) || err != nil {
			t.Fatal(added, err)
		}
	}
}

func flatVisit(t *testing.T, f frontier.Frontier, n int) {
	t.Helper()
	for range n {
		req, err := f.Next(t.Context())
		if err == nil {
			err = f.Done(t.Context(), req, frontier.Outcome{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
