package robots

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestParsedOnce: a file is parsed once for a load, none are to find out that one has expired,
// and hosts with one file share what was parsed.
func TestParsedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := "User-agent: *\n"
		for n := range 400 {
			file += fmt.Sprintf("Disallow: /no/such/path/number/%d/\n", n)
		}
		c := &Cache{Agent: "testbot", Fetch: func(_ context.Context, url string) (*Answer, error) {
			text := file
			if !strings.Contains(url, "same") {
				text += "# " + url
			}
			return &Answer{Status: 200, Body: []byte(text)}, nil
		}}
		expect := func(what string, want int64) {
			t.Helper()
			if got := c.parses.Swap(0); got != want {
				t.Errorf("%s: %d files parsed, want %d", what, got, want)
			}
		}
		load := func(url string) {
			t.Helper()
			if _, err := c.Load(t.Context(), url); err != nil {
				t.Fatal(err)
			}
		}
		load("http://a.test/x")
		expect("a load", 1)
		for n := range 5 {
			if e, ok := c.Peek(fmt.Sprint("http://a.test/", n)); !ok || !e.Allowed("http://a.test/x") || e.Allowed("http://a.test/no/such/path/number/7/") {
				t.Fatal(e, ok)
			}
		}
		expect("visits after it", 0)
		time.Sleep(25 * time.Hour)
		if e, ok := c.Peek("http://a.test/"); ok || e != nil {
			t.Errorf("expired: %v, %v", e, ok)
		}
		load("http://a.test/x")
		expect("a load of the same file when it has expired", 0)
		for n := range 20 {
			load(fmt.Sprintf("http://same%d.test/", n))
		}
		expect("twenty hosts with one file", 1)

		// Where hardly any is kept parsed.
		c.Memory = 1 << 20
		const hosts = 50
		for n := range hosts {
			load(fmt.Sprintf("http://h%d.test/", n))
		}
		expect("loads of hosts", hosts)
	})
}
