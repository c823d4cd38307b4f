package chrome_test

import (
	"context"
	"fmt"

	"github.com/chromedp/chromedp"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
)

// A crawl of pages that scripts make.
func ExampleFetcher() {
	browser := &chrome.Fetcher{UserAgent: "acme/1.0 (+https://acme.example/bot)"}
	defer browser.Close()
	c := crawler.Crawler{UserAgent: browser.UserAgent, Fetcher: browser}
	for page, err := range c.Pages(context.Background(), "https://app.example/") {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(page.Title, page.Response.Extra.(*chrome.Visit).Settled)
	}
}

// A tab, for what no chain of actions says.
func ExampleFetcher_Tab() {
	browser := &chrome.Fetcher{UserAgent: "acme/1.0 (+https://acme.example/bot)"}
	defer browser.Close()
	const url = "https://app.example/"
	err := browser.Tab(context.Background(), url, func(tab context.Context) error {
		if err := chromedp.Do(tab, chromedp.Navigate(url), chromedp.Click(chromedp.CSS("#more"))); err != nil {
			return err
		}
		text, err := chromedp.Run(tab, chromedp.Text(chromedp.CSS("main")))
		fmt.Println(text)
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
}

// Which browser is there?
func ExampleFind() {
	path, err := chrome.Find()
	if err != nil {
		fmt.Println(err) // says what to install
		return
	}
	fmt.Println(path)
}
