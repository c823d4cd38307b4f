package content

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/crawler/sitemap"
	"github.com/webquarry/quarry/frontier"
)

// TestSchedule: for three days, pages are visited as often as their sitemap says,
// the urgent and the new ones first, and what is new in it is found.
func TestSchedule(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const entry = "<url><loc>http://a.test/%s</loc><changefreq>%s</changefreq><lastmod>%s</lastmod></url>"
		list := fmt.Sprintf("<urlset>"+entry+entry+entry+entry, "never", "never", "1999-01-01", "hourly", "hourly", "1999-12-20", "daily", "daily", "1999-12-30", "once", "", "1999-06-01")
		xml := "HTTP 200\nContent-Type: text/xml\n\n"
		web, err := crawlertest.Parse("-- http://a.test/robots.txt --\nHTTP 200\n\nSitemap: /s.xml\n" +
			"-- http://a.test/s.xml --\n" + xml + list + "</urlset>\n" +
			"-- http://a.test/s.xml --\n" + xml + list + "<url><loc>http://a.test/new</loc></url></urlset>\n" +
			"-- http://a.test/ --\nhome\n-- http://a.test/never --\nn\n-- http://a.test/hourly --\nh\n-- http://a.test/daily --\nd\n-- http://a.test/once --\no\n-- http://a.test/new --\nnew\n")
		if err != nil {
			t.Fatal(err)
		}
		front := frontier.New(frontier.Options{Horizon: -1, Limits: frontier.Limits{Delay: time.Second}})
		defer front.Close()
		var s Schedule
		c := crawler.Crawler{
			UserAgent: "test/1.0 (+https://quarry.test/bot)", Frontier: front, Parser: &ByType{Discover: true},
			Fetcher: &crawler.HTTP{UserAgent: "test/1.0 (+https://quarry.test/bot)", Transport: web},
			Follow:  s.Follow(crawler.SameSite("http://a.test/")), Revisit: s.Revisit(crawler.Retry),
			Budget: crawler.Budget{Wall: 71 * time.Hour}, Workers: 1,
		}
		if err := c.Run(t.Context(), "http://a.test/"); err != nil {
			t.Fatal(err)
		}
		visits, order := map[string]int{}, []string{}
		for _, r := range web.Requests() {
			if visits[r.URL]++; visits[r.URL] == 1 {
				order = append(order, r.URL[len("http://a.test"):])
			}
		}
		want := map[string]int{"never": 1, "hourly": 71, "daily": 3, "once": 1, "new": 1, "s.xml": 3, "": 1}
		for path, n := range want {
			if got := visits["http://a.test/"+path]; got < n-1 || got > n+1 || n == 1 && got != 1 {
				t.Errorf("/%s: %d visits, want %d", path, got, n)
			}
		}
		if fmt.Sprint(order) != "[/robots.txt / /s.xml /daily /hourly /once /never /new]" {
			t.Errorf("order %v", order)
		}
	})
}

// TestSchedulePolls: with the Fetcher a page with a date is asked for again when its
// sitemap has another date, and only then, also where another Revisit keeps values.
// The day that a's has at last is not over at the first of two visits.
func TestSchedulePolls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		list := func(a, b string) string {
			return "HTTP 200\nContent-Type: text/xml\n\n<urlset><url><loc>http://a.test/a</loc><lastmod>" + a + "</lastmod></url><url><loc>http://a.test/b</loc><lastmod>" +
				b + "</lastmod></url><url><loc>http://a.test/c</loc></url><url><loc>http://a.test/d</loc><lastmod>1999-01-01</lastmod><changefreq>daily</changefreq></url></urlset>\n"
		}
		var answers strings.Builder
		for _, s := range []string{list("1999-12-01", "1999-12-01"), list("1999-12-01", "2000-01-01T12:00:00Z"), list("1999-12-01", "2000-01-01T12:00:00Z"), list("2000-01-04", "2000-01-01T12:00:00Z")} {
			answers.WriteString("-- http://a.test/s.xml --\n" + s)
		}
		web, err := crawlertest.Parse("-- http://a.test/robots.txt --\nHTTP 200\n\nSitemap: /s.xml\n" + answers.String() +
			"-- http://a.test/ --\nhome\n-- http://a.test/a --\na\n-- http://a.test/b --\nb\n-- http://a.test/c --\nc\n-- http://a.test/d --\nd\n")
		if err != nil {
			t.Fatal(err)
		}
		front := frontier.New(frontier.Options{Horizon: -1, Limits: frontier.Limits{Delay: time.Second}})
		defer front.Close()
		var s Schedule
		memos := map[string]int{}
		c := crawler.Crawler{
			UserAgent: "test/1.0 (+https://quarry.test/bot)", Frontier: front, Parser: &ByType{Discover: true},
			Fetcher: s.Fetcher(&crawler.HTTP{UserAgent: "test/1.0 (+https://quarry.test/bot)", Transport: web}),
			Follow:  s.Follow(crawler.SameSite("http://a.test/")), Workers: 1,
			Revisit: s.Revisit(func(req frontier.Request, resp *crawler.Response, err error) frontier.Outcome {
				if own := req.Meta.Get("test.visits"); own != strings.Repeat("x", memos[req.URL]) {
					t.Errorf("%s: %v after %d visits", req.URL, req.Meta, memos[req.URL])
				}
				memos[req.URL]++
				return frontier.Outcome{Meta: frontier.Meta{}.With("test.visits", req.Meta.Get("test.visits")+"x")}
			}),
			Budget: crawler.Budget{Wall: 6*24*time.Hour - time.Hour},
		}
		if err := c.Run(t.Context(), "http://a.test/"); err != nil {
			t.Fatal(err)
		}
		visits := map[string]int{}
		for _, r := range web.Requests() {
			visits[r.URL[len("http://a.test/"):]]++
		}
		if want := "map[:1 a:3 b:2 c:1 d:6 robots.txt:"; !strings.HasPrefix(fmt.Sprint(visits), want) || visits["s.xml"] != 6 {
			t.Errorf("%v, want %s... s.xml:6]", visits, want)
		}
	})
}

// TestScheduleOfOthers: f may come back sooner, failures are its matter, and a
// sitemap may change its mind.
func TestScheduleOfOthers(t *testing.T) {
	t.Parallel()
	s := Schedule{Sitemaps: -1}
	follow := s.Follow(crawler.Any)
	from := &crawler.Page{URL: "http://a.test/s.xml"}
	told := func(change string) {
		follow(from, crawler.Link{URL: "http://a.test/", Listed: &sitemap.Entry{Change: change, Priority: 0.5}})
	}
	after := func(f crawler.Revisit, status int, err error) time.Duration {
		out := s.Revisit(f)(frontier.Request{URL: "http://a.test/"}, &crawler.Response{Status: status}, err)
		if out.Again.IsZero() {
			return 0
		}
		return time.Until(out.Again).Round(time.Hour)
	}
	weekly := func(frontier.Request, *crawler.Response, error) frontier.Outcome {
		return frontier.Outcome{Again: time.Now().Add(7 * 24 * time.Hour)}
	}
	for _, tt := range []struct {
		change string
		status int
		err    error
		want   time.Duration
	}{
		{"", 200, nil, 168 * time.Hour},
		{"monthly", 200, nil, 168 * time.Hour},
		{"daily", 200, nil, 24 * time.Hour},
		{"daily", 304, nil, 24 * time.Hour},
		{"daily", 404, nil, 168 * time.Hour},
		{"daily", 0, &crawler.FetchError{Kind: crawler.ErrDNS}, 168 * time.Hour},
		{"always", 200, nil, time.Hour},
		{"never", 200, nil, 0},
		{"", 200, nil, 168 * time.Hour},
	} {
		told(tt.change)
		if got := after(weekly, tt.status, tt.err); got != tt.want {
			t.Errorf("%q, %d, %v: again after %v, want %v", tt.change, tt.status, tt.err, got, tt.want)
		}
	}
}
