package chrome_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/webquarry/quarry/crawler/chrome"
)

// Pages that want frames get them, also where those of their host never wanted
// any, and what a host has stored outlasts that its pages are drawn or not.
func TestFrames(t *testing.T) {
	t.Parallel()
	const plain = `<p id=p>plain</p><script>const n = +(localStorage.n || 0) + 1; localStorage.n = n; p.append(" page " + n); document.cookie = "n=" + n</script>`
	s := serve(t, pages{
		"/plain": plain,
		"/frame": "", // for ever anew, until the page is shown again
		"/seen": `<p id=p>later</p><iframe id=f></iframe><script>
			if (!localStorage.seen) f.onload = () => setTimeout(() => { f.src = "/frame?" + Math.random() }, 5), f.src = "/frame"
			localStorage.seen = 1; new IntersectionObserver(e => { if (e[0].isIntersecting) p.textContent = "seen" }).observe(p)</script>`,
		"/late": `<p id=p>0</p><script>setTimeout(() => requestAnimationFrame(() => { p.textContent = "late frame" }), 100)</script>`,
	})
	f := own(t, &chrome.Fetcher{Tabs: 1})
	for n := range 5 {
		wantBody(t, fetch(t, f, s.URL+"/plain"), fmt.Sprintf("plain page %d<", n+1))
	}
	resp := fetch(t, f, s.URL+"/seen") // in a tab that is not drawn
	wantBody(t, resp, "seen")
	if v := resp.Extra.(*chrome.Visit); v.Requests < 2 {
		t.Errorf("%+v of a page that is shown twice", v)
	}
	if got := s.asked("/seen"); got != 1 {
		t.Errorf("a page that is shown again was asked for %d times", got)
	}
	for path, want := range map[string]string{"/seen": "seen", "/late": "late frame"} {
		wantBody(t, fetch(t, f, s.URL+path), want) // in one that is
	}
	wantBody(t, fetch(t, f, s.URL+"/plain"), "plain page 6<")
	var cookie string
	err := f.Tab(t.Context(), s.URL, func(tab context.Context) (err error) {
		if err = chromedp.Do(tab, chromedp.Navigate(s.URL+"/seen")); err == nil {
			cookie, err = chromedp.Run(tab, chromedp.Evaluate[string]("document.cookie"))
		}
		return err
	})
	if err != nil || cookie != "n=6" {
		t.Errorf("cookie %q, %v", cookie, err)
	}
}
