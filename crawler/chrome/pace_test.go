package chrome_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
	"github.com/webquarry/quarry/crawler/middleware"
	"github.com/webquarry/quarry/frontier"
)

// HTTP and Chrome together keep to the gap of a host, with all that pages load.
func TestPace(t *testing.T) {
	t.Parallel()
	const gap = 40 * time.Millisecond
	var mu sync.Mutex
	var starts []time.Time
	note := func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		starts = append(starts, time.Now())
		mu.Unlock()
		if r.URL.Path == "/data" {
			fmt.Fprint(w, "<p>item</p>")
			return
		}
		as("text/html", `<div id=root></div><script>for (let i = 0; i < 4; i++) fetch("/data?" + i).then(r => r.text()).then(x => { root.innerHTML += x })</script>`)(w, r)
	}
	s := serve(t, pages{"/a": note, "/b": note, "/c": note, "/d": note, "/data": note})
	base := (&middleware.Pace{Gap: gap}).Wrap(local())
	browser := own(t, &chrome.Fetcher{UserAgent: agent, Via: base})
	var both sync.WaitGroup
	for i, f := range []crawler.Fetcher{browser, base, browser, base} {
		both.Go(func() {
			resp, err := f.Fetch(t.Context(), frontier.Request{URL: s.URL + "/" + string(rune('a'+i))})
			if err != nil {
				t.Error(err)
			} else if f == browser {
				wantBody(t, resp, "<p>item</p><p>item</p><p>item</p><p>item</p>")
			}
		})
	}
	both.Wait()
	slices.SortFunc(starts, time.Time.Compare)
	if len(starts) != 12 {
		t.Errorf("%d requests, want 12", len(starts))
	}
	// What the server sees may be late and so close to the next, but not by much in sum.
	if took := starts[len(starts)-1].Sub(starts[0]); took < 11*gap-gap/2 {
		t.Errorf("12 requests within %v, the gap is %v", took, gap)
	}
}
