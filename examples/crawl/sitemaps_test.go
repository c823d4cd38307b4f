package main

import (
	"slices"
	"testing"
)

const listed = `
-- http://www.site.test/robots.txt --
HTTP 200
Content-Type: text/plain

Sitemap: http://www.site.test/map.xml
-- http://www.site.test/map.xml --
HTTP 200
Content-Type: application/xml

<urlset><url><loc>http://www.site.test/listed</loc></url><url><loc>http://foreign.test/</loc></url></urlset>
-- http://www.site.test/ --
<title>Home</title><link rel=alternate type="application/rss+xml" href=/feed>
-- http://www.site.test/feed --
HTTP 200
Content-Type: application/rss+xml

<rss><channel><item><link>http://www.site.test/news</link></item></channel></rss>
-- http://www.site.test/listed --
<title>Listed</title>
-- http://www.site.test/news --
<title>News</title>
`

func TestSitemaps(t *testing.T) {
	t.Parallel()
	_, args := site(t, listed)
	if got, want := crawled(t, args), []string{"www.site.test/"}; !slices.Equal(got, want) {
		t.Errorf("without: %q, want %q", got, want)
	}
	if got, want := crawled(t, append(args, "-sitemaps")), []string{"www.site.test/", "www.site.test/listed", "www.site.test/news"}; !slices.Equal(got, want) {
		t.Errorf("with: %q, want %q", got, want)
	}
}
