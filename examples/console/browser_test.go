package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/webquarry/quarry/crawler/chrome"
)

// shots is the environment variable that names a folder for screenshots of what the test
// sees, in light and dark, wide and narrow, and axe the one that names a file with axe-core
// (axe.min.js of its npm package), by which each of these is then checked.
const (
	shots = "QUARRY_SHOTS"
	axe   = "QUARRY_AXE"
)

// person is somebody in front of a browser.
type person struct {
	t    *testing.T
	ctx  context.Context
	base string
	shot int
}

// atConsole opens a console with the bundled shop, and a browser.
func atConsole(t *testing.T) *person {
	t.Helper()
	path, err := chrome.Find()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("no browser: ", err)
	}
	shop, err := serveShop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := openTestDesk(t, t.TempDir())
	if err := d.create("kettles", []byte(shopSpec(shop))); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(newWeb(d, "").handler())
	t.Cleanup(s.Close)
	opt := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WindowSize(1280, 900))
	if os.Geteuid() == 0 {
		opt = append(opt, chromedp.NoSandbox) // Chrome refuses its sandbox to root
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, opt...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	p := &person{t: t, ctx: ctx, base: s.URL}
	p.do(chromedp.Navigate(s.URL + "/"))
	return p
}

func openTestDesk(t *testing.T, dir string) *desk {
	t.Helper()
	d, err := openDesk(dir, 16, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func (p *person) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// js evaluates an expression; what it throws counts as "".
func (p *person) js(expression string) string {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[string]("String((() => { try { return "+expression+" } catch { return '' } })() ?? '')"))
	if err != nil {
		return ""
	}
	return v
}

// until waits for an expression to be true.
func (p *person) until(expression string) {
	p.t.Helper()
	for begun := time.Now(); p.js(expression) != "true"; time.Sleep(50 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			p.picture("stuck")
			p.t.Fatalf("it never came to %s; the page says %q", expression, p.js("document.querySelector('main').innerText"))
		}
	}
}

// click clicks the element that an expression gives, when it is there.
func (p *person) click(expression string) {
	p.t.Helper()
	p.until("(" + expression + ") != null && !(" + expression + ").disabled")
	p.js("(" + expression + ").scrollIntoView({block: 'center'})")
	box := p.js("(r => [r.x + r.width / 2, r.y + r.height / 2].join())((" + expression + ").getBoundingClientRect())")
	var x, y float64
	if _, err := fmt.Sscanf(box, "%f,%f", &x, &y); err != nil {
		p.t.Fatalf("%s: %q", expression, box)
	}
	p.do(chromedp.MouseClickXY(x, y))
}

// button is the visible one with a text.
func button(text string) string {
	return fmt.Sprintf("[...document.querySelectorAll('button, a, summary, [role=tab]')].find(b => b.innerText.trim().startsWith(%q) && b.offsetParent)", text)
}

// typed puts a text into a field, as somebody who types does.
func (p *person) typed(selector, text string) {
	p.t.Helper()
	p.click("document.querySelector('" + selector + "')")
	p.js("document.querySelector('" + selector + "').select()")
	p.do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

// picture takes screenshots, if there is a folder for them.
func (p *person) picture(name string) {
	p.t.Helper()
	dir := os.Getenv(shots)
	if dir == "" && os.Getenv(axe) == "" {
		return
	}
	p.until("document.readyState === 'complete' && document.body.clientWidth > 0")
	p.shot++
	for _, look := range []struct {
		name, scheme string
		width        int64
	}{{"light", "light", 1280}, {"dark", "dark", 1280}, {"narrow", "light", 390}} {
		p.do(chromedp.EmulateViewport(look.width, 900))
		if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.scheme}}}); err != nil {
			p.t.Fatal(err)
		}
		p.accessible(name + ", " + look.name)
		if dir == "" {
			continue
		}
		png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
		if err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d-%s-%s.png", p.shot, name, look.name)), png, 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
	p.do(chromedp.EmulateViewport(1280, 900))
}

// accessible checks the page by axe-core, if there is one.
func (p *person) accessible(where string) {
	p.t.Helper()
	if os.Getenv(axe) == "" {
		return
	}
	source, err := os.ReadFile(os.Getenv(axe))
	if err != nil {
		p.t.Fatal(err)
	}
	p.do(chromedp.Evaluate[chromedp.Void](string(source)))
	found, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](`axe.run(document, {iframes: false}).then(r => r.violations.flatMap(v => v.nodes.map(n => v.impact + " " + v.id + ": " + n.html.slice(0, 120) + " | " + (n.any[0] || n.all[0] || n.none[0] || {}).message)))`, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, f := range found {
		p.t.Errorf("%s: %s", where, f)
	}
}

// TestFirstVisit: somebody who has never seen the console comes, by clicks alone, from the
// list of jobs to what the bundled shop sells, the cheapest first.
func TestFirstVisit(t *testing.T) {
	p := atConsole(t)
	p.picture("jobs")
	p.click(button("kettles"))
	p.picture("job")
	p.click(button("Start"))
	p.until(`document.querySelector('#state')?.textContent === 'done' && document.querySelector('#figures').innerText.includes('24')`)
	p.picture("done")
	p.click(button("Search"))
	p.until(`document.querySelector('.count')?.innerText.includes('24 results')`)
	p.js(`(s => { s.value = 'price'; })(document.querySelector('select[name=sort]'))`)
	p.typed("#q", "ketle")
	p.click(button("Search ") + " ?? document.querySelector('form.search button')")
	p.until(`document.querySelector('.count')?.innerText.includes('20 results')`)
	p.picture("search")
	prices := p.js(`[...document.querySelectorAll('.results tbody tr td:nth-child(3)')].map(c => +c.innerText).every((n, i, all) => i === 0 || all[i - 1] <= n)`)
	if prices != "true" {
		t.Error("the cheapest does not come first")
	}
	p.click(button("Index"))
	p.picture("index")
	p.click(button("Index anew"))
	p.until(`document.querySelector('.count')?.innerText.includes('24 results')`)
}

// TestPickedJob: a job is made in the form, its fields are picked from a page by clicks, it is
// tried, saved, run and searched.
func TestPickedJob(t *testing.T) {
	p := atConsole(t)
	p.do(chromedp.Navigate(p.base + "/jobs/kettles/edit"))
	p.until(`document.querySelector('#form details') != null`)
	seeds := p.js(`[...document.querySelectorAll('#form textarea')].map(a => a.value).find(v => v.startsWith('http'))`)
	shop := strings.TrimSpace(seeds)
	p.do(chromedp.Navigate(p.base + "/new"))
	p.until(`document.querySelector('#form details') != null`)
	p.typed("#name", "picked")
	p.click(button("Text"))
	p.js(`(a => { a.value = ` + fmt.Sprintf("%q", "seeds: "+shop+"\nuser-agent: me/1.0 (+https://example.com/me)\npace: {delay: 10ms}\nfetch: {allow-private: true}\noutput: {pages: pages.jsonl}\n") + `; a.dispatchEvent(new Event('input')) })(document.querySelector('#spec'))`)
	p.click(button("Form"))
	p.until(`document.querySelector('#form').innerText.includes('user-agent') && !document.querySelector('#form').hidden`)
	p.picture("form")
	p.click(button("Pick fields"))
	p.typed("#pick-url", shop+"kettle/3")
	p.click(button("Open"))
	p.until(`!document.querySelector('#pick-frame').hidden && document.querySelector('#pick-state').innerText.startsWith('Click')`)
	p.pick("h1", "name", "string")
	p.pick("p.price", "price", "price")
	p.picture("picked")
	p.click(button("Put into the job"))
	p.until(`[...document.querySelectorAll('#form input')].some(i => i.value === 'price')`)
	p.click(button("Try it"))
	p.until(`document.querySelector('#tried').innerText.includes('What came of it')`)
	p.picture("tried")
	p.click(button("Save"))
	p.click(button("Start"))
	p.until(`document.querySelector('#state')?.textContent === 'done' && document.querySelector('#figures').innerText.includes('24')`)
	p.click(button("Search"))
	p.until(`document.querySelector('.count')?.innerText.includes('24 results')`)
	if got := p.js(`document.querySelector('thead').innerText`); !strings.Contains(got, "price") || !strings.Contains(got, "name") {
		t.Error(got)
	}
}

// pick clicks an element of the page in the frame, whose origin is its own, and takes it.
func (p *person) pick(selector, name, kind string) {
	p.t.Helper()
	frame := p.js(`document.querySelector('#pick-frame').src`)
	at := p.within(frame, selector)
	p.js(`document.querySelector('#pick-frame').scrollIntoView({block: 'start'})`)
	var x, y, fx, fy float64
	if _, err := fmt.Sscanf(at, "%f,%f", &x, &y); err != nil {
		p.t.Fatalf("%s: %q", selector, at)
	}
	if _, err := fmt.Sscanf(p.js(`(r => [r.x, r.y].join())(document.querySelector('#pick-frame').getBoundingClientRect())`), "%f,%f", &fx, &fy); err != nil {
		p.t.Fatal(err)
	}
	p.do(chromedp.MouseClickXY(fx+x+2, fy+y+2))
	p.until(`document.querySelector('#pick-name') != null`)
	p.typed("#pick-name", name)
	if got := p.js(`document.querySelector('#pick-type').value`); got != kind {
		p.t.Errorf("%s is taken for %s", name, got)
	}
	p.click(button("Take it"))
	p.until(`document.querySelector('#pick-side').innerText.includes(` + fmt.Sprintf("%q", name+":") + `)`)
}

// within says where the middle of an element is in the page of a frame, which is opened once
// more to see, as wide as the frame is.
func (p *person) within(url, selector string) string {
	p.t.Helper()
	wide := p.js(`document.querySelector('#pick-frame').clientWidth`)
	ctx, cancel := chromedp.NewContext(p.ctx)
	defer cancel()
	var w int64
	fmt.Sscan(wide, &w)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(w, 540), chromedp.Navigate(url)); err != nil {
		p.t.Fatal(err)
	}
	at, err := chromedp.Run(ctx, chromedp.Evaluate[string](`(r => [r.x + r.width / 2, r.y + r.height / 2].join())(document.querySelector('`+selector+`').getBoundingClientRect())`))
	if err != nil {
		p.t.Fatal(err)
	}
	return at
}
