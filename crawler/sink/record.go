package sink

import (
	"time"

	"github.com/webquarry/quarry/crawler"
)

// Record is a page as a [JSONL] writes it unless told otherwise.
type Record struct {
	URL     string    `json:"url"`
	Status  int       `json:"status"`
	Title   string    `json:"title"`
	Text    string    `json:"text"`
	Links   []string  `json:"links"` // that may be followed, each once
	Depth   int       `json:"depth"`
	Fetched time.Time `json:"fetched"`           // UTC, in milliseconds
	Records []any     `json:"records,omitempty"` // what a Parser took out of the page
}

// NewRecord makes the Record of a page.
func NewRecord(p *crawler.Page) Record {
	r := Record{URL: p.URL, Title: p.Title, Text: p.Text, Links: follow(p), Records: p.Records}
	if resp := p.Response; resp != nil {
		r.Status, r.Depth, r.Fetched = resp.Status, resp.Request.Depth, resp.Fetched.UTC().Truncate(time.Millisecond)
	}
	return r
}

// follow lists the links of a page that may be followed, each once.
func follow(p *crawler.Page) []string {
	links := make([]string, 0, len(p.Links))
	seen := make(map[string]bool, len(p.Links))
	for _, l := range p.Links {
		if !l.NoFollow && !seen[l.URL] {
			seen[l.URL] = true
			links = append(links, l.URL)
		}
	}
	return links
}
