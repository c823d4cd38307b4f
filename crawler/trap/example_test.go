package trap_test

import (
	"context"
	"fmt"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/trap"
)

func ExampleGuard() {
	guard := trap.New(trap.Options{}) // trap.Open for one that survives a restart
	defer guard.Close()
	c := crawler.Crawler{
		UserAgent: "acme/1.0 (+https://acme.example/bot)",
		OnEvent: func(e crawler.Event) {
			if e.Kind == crawler.Skipped && e.Reason == "trap" {
				fmt.Println(e.URL, guard.Why(e.URL))
			}
		},
	}
	c.Plugins = []crawler.Plugin{guard}
	_ = c.Run // (ctx, "https://docs.example.com/")
}

// What a Guard thinks of a calendar without entries, month by month.
func ExampleGuard_Explain() {
	guard := trap.New(trap.Options{})
	parse := guard.Parser(months{})
	for n := range 30 {
		resp := &crawler.Response{Status: 200}
		resp.Request.URL = fmt.Sprintf("https://a.example/cal/%d/%d/", 2031+n/12, 1+n%12)
		parse.Parse(context.Background(), resp)
	}
	fmt.Println(guard.Explain("https://a.example/cal/2077/1/"))
	// Output:
	// trap: refused: calendar: https://a.example/cal/0/0/ (30 pages read, 1 brought something new, 0 links deep) true
}

// months reads pages that hold nothing but a link to the next month.
type months struct{}

func (months) Parse(_ context.Context, resp *crawler.Response) (*crawler.Page, error) {
	return &crawler.Page{Response: resp, URL: resp.Request.URL, Title: "Calendar", Text: "no entries this month",
		Links: []crawler.Link{{URL: resp.Request.URL + "1"}, {URL: resp.Request.URL + "2"}}}, nil
}
