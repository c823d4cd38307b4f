package urlnorm_test

import (
	"testing"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

func BenchmarkURL(b *testing.B) {
	const base = "https://docs.example.com/3/library/functions.html"
	for _, bench := range []struct{ name, ref string }{
		{"canonical", "https://docs.example.com/3/tutorial/controlflow.html"},
		{"fragment", "https://docs.example.com/3/tutorial/controlflow.html#for"},
		{"relative", "stdtypes.html"},
		{"parent", "../tutorial/controlflow.html#for"},
		{"rooted", "/3/tutorial/"},
		{"query", "/search?q=list+comprehension&page=2&sort=rank"},
		{"tracking", "/article?id=7&utm_source=feed&utm_medium=rss"},
		{"escapes", "/caf%c3%a9/%7Ejo"},
		{"session", "/list;jsessionid=0123456789abcdef?cat=x"},
		{"unicode", "/straße/文書"},
		{"mailto", "mailto:someone@example.test"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				urlnorm.URL(base, bench.ref)
			}
		})
	}
}

func BenchmarkSite(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		urlnorm.Site("https://www.docs.example.co.uk/3/library/functions.html")
	}
}
