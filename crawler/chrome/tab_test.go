package chrome_test

import (
	"context"

	"github.com/chromedp/chromedp"
)

// clickThrough follows the first link of a page and returns the title there.
func clickThrough(tab context.Context, url string) (string, error) {
	if err := chromedp.Do(tab, chromedp.Navigate(url)); err != nil {
		return "", err
	}
	if _, err := chromedp.RunResponse(tab, chromedp.Click(chromedp.CSS("a"))); err != nil {
		return "", err
	}
	return chromedp.Run(tab, chromedp.Title())
}
