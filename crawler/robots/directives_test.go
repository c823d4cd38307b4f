package robots_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler/robots"
)

// words writes directives as a list.
func words(d robots.Directives) string {
	var all []string
	for _, f := range []struct {
		on   bool
		name string
	}{{d.NoIndex, "noindex"}, {d.NoFollow, "nofollow"}, {d.NoArchive, "noarchive"}, {d.NoSnippet, "nosnippet"}} {
		if f.on {
			all = append(all, f.name)
		}
	}
	if !d.Unavailable.IsZero() {
		all = append(all, d.Unavailable.Format(time.RFC3339))
	}
	return strings.Join(all, " ")
}

func TestDirectives(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ meta, header, want string }{
		{meta: "", want: ""},
		{meta: "all, index, follow", want: ""},
		{meta: "NoIndex", want: "noindex"},
		{meta: "none", want: "noindex nofollow"},
		{meta: "noindex nofollow", want: "noindex nofollow"},
		{meta: " ,noindex,,nofollow, ", want: "noindex nofollow"},
		{meta: "noindexing, max-snippet:-1, max-image-preview:none", want: ""},
		{meta: "max-snippet: 0, noarchive", want: "noarchive nosnippet"},
		{meta: "nocache, nosnippet", want: "noarchive nosnippet"},
		{meta: "unavailable_after: 2030-09-21", want: "2030-09-21T00:00:00Z"},
		{meta: "unavailable_after: 2030-09-21, noindex", want: "noindex 2030-09-21T00:00:00Z"},
		{meta: "noarchive, unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow", want: "nofollow noarchive 2030-06-25T23:00:00Z"},
		{meta: "unavailable_after: Wednesday, 03-Aug-32 15:00:00 PDT, nofollow", want: "nofollow 2032-08-03T22:00:00Z"},
		{meta: "unavailable_after: some day, noindex", want: "noindex"},
		{meta: "unavailable_after", want: ""},
		{meta: "unavailable_after:", want: ""},
		{meta: "unavailable_after: 2031-01-01, unavailable_after: 2030-01-01", want: "2030-01-01T00:00:00Z"},
		{meta: "noindex;nofollow", want: "noindex nofollow"},
		{meta: "max-snippet:-1; unavailable_after: 2030-09-21; noarchive", want: "noarchive 2030-09-21T00:00:00Z"},
		{header: "noindex", want: "noindex"},
		{header: "MyBot/2.1: noindex", want: "noindex"},
		{header: "mybotany: noindex; otherbot/1.0: nofollow", want: ""},
		{header: "mybot: noindex", want: "noindex"},
		{header: "MyBot:noindex,nofollow", want: "noindex nofollow"},
		{header: "otherbot: noindex, nofollow", want: ""},
		{header: "otherbot: noindex, mybot: nofollow", want: "nofollow"},
		{header: "*: none", want: "noindex nofollow"},
		{header: "noindex, otherbot: nofollow", want: "noindex"},
		{header: "unavailable_after: 25 Jun 2030 15:00:00 GMT, noindex", want: "noindex 2030-06-25T15:00:00Z"},
		{header: "mybot: unavailable_after: Sun, 25 Jun 2030 15:00:00 GMT", want: "2030-06-25T15:00:00Z"},
		{header: "otherbot: unavailable_after: 2030-06-25", want: ""},
		{header: "otherbot: unavailable_after: 2030-06-25T10:00:00Z, mybot: max-snippet:0", want: "nosnippet"},
		{header: ":", want: ""},
		{header: ":noindex", want: "noindex"},
		{header: "mybot:", want: ""},
	} {
		var d robots.Directives
		d.AddMeta(tt.meta)
		d.AddHeader(tt.header, "mybot")
		if got := words(d); got != tt.want {
			t.Errorf("%q%q: %q, want %q", tt.meta, tt.header, got, tt.want)
		}
	}
}

func TestDirectivesAt(t *testing.T) {
	t.Parallel()
	d := robots.Directives{Unavailable: time.Date(2024, 5, 6, 0, 0, 0, 0, time.UTC)}
	if d.At(d.Unavailable).NoIndex || !d.At(d.Unavailable.Add(time.Second)).NoIndex || new(robots.Directives).At(time.Now()).NoIndex {
		t.Error("unavailable at the wrong time")
	}
}

func FuzzDirectives(f *testing.F) {
	f.Add("noindex, unavailable_after: Wednesday, 03-Aug-32 15:00:00 PDT", "mybot: none, max-snippet:0")
	f.Add(":,:", "a:b:c")
	f.Fuzz(func(t *testing.T, meta, header string) {
		var d robots.Directives
		d.AddMeta(meta)
		d.AddHeader(header, "mybot")
	})
}

func ExampleDirectives() {
	var d robots.Directives
	d.AddMeta("noarchive")
	d.AddHeader("unavailable_after: 6 May 2024 12:00:00 GMT, otherbot: nofollow", "mybot")
	d = d.At(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC))
	fmt.Println(d.NoIndex, d.NoFollow, d.NoArchive)
	// Output: true false true
}
