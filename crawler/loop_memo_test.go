package crawler

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestMemoOfRequests: what Revisit remembers of a URL comes back with its next visit, also
// after trouble and a restart, and goes to no other URL.
func TestMemoOfRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, `
-- http://a.test/ --
<a href="/moved">x</a>
-- http://a.test/moved --
HTTP 301
Location: /new

-- http://a.test/new --
<p>x
`)
		var got []string
		c.Workers = 1
		c.Revisit = func(req frontier.Request, resp *Response, err error) frontier.Outcome {
			got = append(got, req.URL[len("http://a.test"):]+" "+req.Memo)
			if len(req.Memo) == 3 {
				return frontier.Outcome{}
			}
			return frontier.Outcome{Again: time.Now().Add(10 * time.Minute), Memo: new(req.Memo + "x")}
		}
		dir := t.TempDir()
		for range 5 {
			f, err := frontier.Open(dir, frontier.Options{SyncEvery: -1, Horizon: 5 * time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			c.Frontier = f
			c.run(t, "http://a.test/")
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(9 * time.Minute)
		}
		var want []string
		for _, url := range []string{"/", "/moved", "/new"} {
			for _, memo := range []string{"", "x", "xx", "xxx"} {
				want = append(want, fmt.Sprintf("%s %s", url, memo))
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}
