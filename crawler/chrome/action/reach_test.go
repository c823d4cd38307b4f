package action

import (
	"fmt"
	"html"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestTextIsWhatIsSeen: a selector by text means what a reader of the page sees,
// and nothing else that the document holds.
func TestTextIsWhatIsSeen(t *testing.T) {
	t.Parallel()
	unseen := map[string]string{
		"script":            `<script>x = {s: 'Sold out'}</script>`,
		"data":              `<script type=application/json id=__NEXT_DATA__>{"state": "Sold out"}</script>`,
		"linked data":       `<script type=application/ld+json>{"availability": "Sold out"}</script>`,
		"style":             `<style>/* Sold out */ p::before { content: "" }</style>`,
		"template":          `<template><p>Sold out</p></template>`,
		"noscript":          `<noscript><p>Sold out</p></noscript>`,
		"title":             `<title>Sold out</title>`,
		"comment":           `<p><!-- Sold out --></p>`,
		"attributes":        `<p title="Sold out" data-state="Sold out"><img alt="Sold out"></p>`,
		"display none":      `<div style="display: none"><p>Sold out</p></div>`,
		"hidden":            `<div hidden><p>Sold out</p></div>`,
		"hidden until":      `<div hidden=until-found><p>Sold out</p></div>`,
		"visibility":        `<div style="visibility: hidden">Sold <b>out</b></div>`,
		"transparent":       `<div style="opacity: 0"><p>Sold out</p></div>`,
		"no size":           `<p style="font-size: 0">Sold out</p>`,
		"content":           `<div style="content-visibility: hidden"><p>Sold out</p></div>`,
		"details":           `<details><summary>state</summary>Sold out <p>Sold out</p></details>`,
		"dialog":            `<dialog><p>Sold out</p></dialog>`,
		"popover":           `<div popover><p>Sold out</p></div>`,
		"folded":            `<div style="max-height: 0; overflow: hidden"><p>Sold out</p></div>`,
		"for readers aloud": `<span style="position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0, 0, 0, 0)">Sold out</span>`,
		"far left":          `<span style="position: absolute; left: -9999px">Sold out</span>`,
		"drawer":            `<div style="position: fixed; width: 300px; left: -300px; top: 0">Sold out</div>`,
		"frame":             `<iframe srcdoc="x">Sold out</iframe>`,
		"canvas":            `<canvas>Sold out <p>Sold out</p></canvas>`,
		"video":             `<video>Sold out <p>Sold out</p></video>`,
		"field":             `<textarea>Sold out</textarea><input value="Sold out"><input type=hidden value="Sold out">`,
		"option":            `<select><option>In stock<option>Sold out</select>`,
		"list of options":   `<input list=l><datalist id=l><option>Sold out</datalist>`,
		"drawing":           `<svg><title>Sold out</title><desc>Sold out</desc><defs><text>Sold out</text></defs></svg>`,
		"not in a slot":     `<div id=s>Sold out</div><script>s.attachShadow({mode: 'open'}).innerHTML = '<p>In stock</p>'</script>`,
		"shadow":            `<div id=s></div><script>s.attachShadow({mode: 'open'}).innerHTML = '<style>/* Sold out */</style><p hidden>Sold out</p>'</script>`,
		"two blocks":        `<p>Sold</p><p>x</p><p>out</p>`,
	}
	seen := map[string]string{
		"plain":          `<p>Sold out</p>`,
		"case and space": "<p>SOLD\n   OUT</p>",
		"upper case":     `<p style="text-transform: uppercase">Sold out</p>`,
		"inline":         `<p>So<b>ld</b> <i>o<u>u</u>t</i></p>`,
		"lines":          `<p>Sold<br>out</p>`,
		"hyphens":        `<p>So&shy;ld o&#8203;ut</p>`,
		"no break":       `<p>Sold&nbsp;out</p>`,
		"blocks":         `<div><span style="display: block">Sold</span><span style="display: block">out</span></div>`,
		"cells":          `<table><tr><td>Sold<td>out</table>`,
		"button":         `<input type=button value="Sold out">`,
		"chosen":         `<select><option>In stock<option selected>Sold out</select>`,
		"list box":       `<select size=3><option>In stock<option selected>Sold out</select>`,
		"label":          `<button aria-label="Sold out">x</button>`,
		"visible again":  `<div style="visibility: hidden"><p style="visibility: visible">Sold out</p></div>`,
		"open details":   `<details open><summary>state</summary><p>Sold out</p></details>`,
		"summary":        `<details><summary>Sold out</summary>x</details>`,
		"scrolled":       `<div style="height: 50px; overflow: auto"><div style="height: 900px"></div><p>Sold out</p></div>`,
		"scrolled away":  `<div id=w style="height: 50px; overflow: auto"><p>Sold out</p><div style="height: 9000px"></div></div><script>w.scrollTop = 9000</script>`,
		"below":          `<div style="height: 9000px"></div><p>Sold out</p>`,
		"out of a fold":  `<div style="height: 0; overflow: hidden"><p style="position: fixed; top: 0">Sold out</p></div>`,
		"contents":       `<p><b style="display: contents">Sold out</b></p>`,
		"slot":           `<div id=s>Sold out</div><script>s.attachShadow({mode: 'open'}).innerHTML = '<p><slot></slot></p>'</script>`,
		"shadow":         `<div id=s></div><script>s.attachShadow({mode: 'open'}).innerHTML = '<p>Sold out</p>'</script>`,
		"shown script":   `<script style="display: block" type=text/plain>Sold out</script>`,
		"drawing":        `<svg><text y=20>Sold out</text></svg>`,
		"list":           `<ul><li>Sold out</ul>`,
		"drawn":          `<dialog open>Sold out</dialog>`,
	}
	var paths []string
	chain, want := "steps:\n", map[string]bool{}
	for is, all := range map[bool]map[string]string{false: unseen, true: seen} {
		for name, body := range all {
			path := fmt.Sprintf("/%v/%s", is, strings.ReplaceAll(name, " ", "-"))
			paths = append(paths, path, "<body><p>In stock</p>"+body)
			for how, sel := range map[string]string{"text": "{text: sold out", "css": "{css: 'p, div, span, b, i, td, tr, li, dialog, summary, details, button, input, select, option, text, script, style, body', text: sold out"} {
				if name == "label" && how == "css" {
					continue // an attribute is no text of an element that css means
				}
				as := path + " " + how
				want[as] = is
				chain += fmt.Sprintf("  - navigate: %s\n  - if-exists: %s, then: [{eval: {js: 'true', as: %q}}], else: [{eval: {js: 'false', as: %q}}]}\n", path, sel, as, as)
			}
		}
	}
	res, err := play(t, &Runner{URL: serve(t, paths...)}, "timeout: 55s\n"+chain)
	if err != nil {
		t.Fatal(err)
	}
	for as, is := range want {
		if res.Values[as] != is {
			t.Errorf("%s: %v", as, res.Values[as])
		}
	}
}

// TestTextOfLoops: a wait for a text is not met by a script, and a click by text
// clicks what says it, not what holds the script that does.
func TestTextOfLoops(t *testing.T) {
	t.Parallel()
	at := serve(t, "/", `<body onclick="out.textContent += event.target.id + ' '" id=body><p id=out></p><script>const words = ['Order confirmed', 'More']</script><p id=p>Loading</p>
		<button id=b>More</button><script>setTimeout(() => p.textContent = 'Order confirmed', 300)</script>`)
	res, err := play(t, &Runner{URL: at}, `
steps:
  - navigate: /
  - if-exists: {text: Order confirmed, then: [{eval: {js: "1", as: early}}]}
  - wait: {visible: {text: Order confirmed}}
  - click: {text: more}
  - eval: {js: "out.textContent + p.textContent", as: end}
  - {click: {text: words}, timeout: 200ms, optional: true}
`)
	if err != nil {
		t.Fatal(err)
	}
	if res.Values["early"] != nil || res.Values["end"] != "b Order confirmed" {
		t.Error(res.Values)
	}
	if last := res.Reports[len(res.Reports)-1]; last.End != Timeout {
		t.Errorf("%+v", last)
	}
}

// around are ways in which what is to be acted on may lie out of sight. A frame
// is added to those by document.
var around = map[string]string{
	"scroller":     `<div style="height: 150px; width: 200px; overflow: auto"><div style="height: 700px; width: 900px"></div><div style="margin-left: 500px; width: 650px">%s</div><div style="height: 300px"></div></div>`,
	"clipped":      `<div style="height: 180px; overflow: hidden"><div style="height: 900px">x</div>%s</div>`,
	"dialog":       `<dialog id=d%[2]d style="height: 250px; overflow: auto"><div style="height: 800px"></div>%[1]s</dialog><script>d%[2]d.showModal()</script>`,
	"fixed":        `<div style="position: fixed; top: 40px; left: 60px; width: 500px; height: 250px; overflow: auto; background: white; z-index: %[2]d"><div style="height: 600px"></div>%[1]s</div>`,
	"below":        `<div style="height: 1800px"></div>%s<div style="height: 2000px"></div>`,
	"right":        `<div style="margin-left: 2500px; width: 900px">%s</div>`,
	"scaled":       `<div style="transform: scale(.6); transform-origin: 0 0">%s</div>`,
	"turned":       `<div style="transform: rotate(-20deg) translate(30px, 20px); transform-origin: 0 0; margin-top: 250px">%s</div>`,
	"moved":        `<div style="overflow: hidden; width: 700px"><div style="transform: translateX(900px)">%s</div></div>`,
	"zoomed":       `<div style="zoom: 1.4">%s</div>`,
	"header":       `<div style="position: fixed; top: 0; left: 0; right: 0; height: 90px; background: #ccc; z-index: 9">bar</div><div style="height: 1500px"></div>%s<div style="height: 1500px"></div>`,
	"smooth":       `<style>* { scroll-behavior: smooth }</style><div style="height: 1600px"></div>%s<div style="height: 900px"></div>`,
	"snapping":     `<div style="height: 300px; overflow: auto; scroll-snap-type: y mandatory"><div style="height: 300px; scroll-snap-align: start"></div><div style="min-height: 300px; scroll-snap-align: start">%s</div></div>`,
	"shadow":       `<div id=h%[2]d></div><template id=t%[2]d>%[1]s</template><script>h%[2]d.attachShadow({mode: 'open'}).append(t%[2]d.content)</script>`,
	"table":        `<div style="height: 120px; overflow: auto"><table><thead style="position: sticky; top: 0; background: #ccc"><tr><th style="height: 40px">head</thead><tr><td style="height: 600px"><tr><td>%s<tr><td style="height: 400px"></table></div>`,
	"frame":        `<iframe name=f style="width: 600px; height: 260px; border: 3px solid" srcdoc="%[3]s"></iframe>`,
	"frame below":  `<div style="height: 1500px"></div><iframe style="width: 500px; height: 200px; padding: 7px" srcdoc="%[3]s"></iframe>`,
	"frame scaled": `<iframe style="transform: scale(.5); transform-origin: 0 0; width: 600px; height: 400px; margin-left: 80px" srcdoc="%[3]s"></iframe>`,
	"frame turned": `<iframe style="transform: rotate(90deg) scale(.8); transform-origin: 0 0; width: 500px; height: 300px; margin: 0 0 300px 400px" srcdoc="%[3]s"></iframe>`,
	"frame in box": `<div style="height: 160px; overflow: auto"><div style="height: 900px"></div><iframe style="width: 500px; height: 400px" srcdoc="%[3]s"></iframe></div>`,
}

const targets = `<div style="width: 420px; height: 130px"><button id=button>press</button> <input id=input> <select id=select><option>a<option>b</select> <label><input id=box type=checkbox>box</label>
	<div id=hover style="height: 20px">hover</div><div id=inner style="height: 40px; overflow: auto"><div style="height: 400px">inner</div></div></div>
	<script>(() => { const by = s => (document.querySelector(s) || [...document.querySelectorAll('*')].map(e => e.shadowRoot && e.shadowRoot.querySelector(s)).find(e => e))
	const note = s => { let w = window; while (w !== w.parent) w = w.parent; (w.did = w.did || new Set).add(s) }
	by('#button').onclick = e => note('click'); by('#input').oninput = e => note('fill ' + e.target.value); by('#select').onchange = e => note('select ' + e.target.value)
	by('#box').onchange = e => note('check'); by('#hover').onmousemove = () => note('hover'); by('#inner').onscroll = () => note('scroll'); by('#button').ondblclick = e => note('double') })()</script>`

// wrap puts the targets into what lies around them, from the innermost on.
func wrap(names []string) string {
	s := targets
	for i, name := range names {
		form := around[name]
		if strings.Contains(form, "%[3]s") {
			s = fmt.Sprintf(strings.ReplaceAll(form, "%[3]s", "%[1]s"), html.EscapeString(s))
		} else if strings.Contains(form, "%[2]d") {
			s = fmt.Sprintf(form, s, i+1)
		} else {
			s = fmt.Sprintf(form, s)
		}
	}
	return s
}

// actAll are steps that act on all targets, in whatever frame they are.
const actAll = `
  - click: {css: "#button", frame: "*"}
  - fill: {css: "#input", frame: "*", value: typed}
  - fill: {css: "#box", frame: "*", value: true}
  - select: {css: "#select", frame: "*", values: b}
  - hover: {css: "#hover", frame: "*"}
  - scroll: {within: {css: "#inner", frame: "*"}, idle: 50ms, max: 3}
  - wait: {visible: {text: press, frame: "*"}}
  - click: {text: press, frame: "*", times: 2}
  - screenshot: {element: {css: "#hover", frame: "*"}}
`

// TestAway: what is done and leads to another window or to a file does not end as
// if nothing more were to tell, and the URL is a link.
func TestAway(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<a id=blank target=_blank href=/other>other</a><button id=open onclick="window.open('/opened')">open</button><a id=file href=/file>file</a>
				<a id=named href=/other download>named</a><button id=made onclick="const a = document.createElement('a'); a.download = 'x'; a.href = '/made'; document.body.append(a); a.click()">made</button>
				<form id=form target=_blank action=/formed><input></form><button id=plain onclick="document.title = 1">plain</button><a id=empty href=/empty>empty</a><a id=own href=/own>own</a>`)
		case "/file":
			w.Header().Set("Content-Disposition", "attachment; filename=a.csv")
			fmt.Fprint(w, "a,b")
		case "/empty":
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	t.Cleanup(s.Close)
	res, err := play(t, &Runner{URL: s.URL}, `
steps:
  - navigate: /
  - click: "#blank"
  - click: "#open"
  - click: "#file"
  - click: "#named"
  - click: "#made"
  - submit: "#form"
  - press: {key: Enter, on: "#blank"}
  - click: "#plain"
  - click: "#empty"
  - click: "#own"
`)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`2 click elsewhere: "other", which opens a window at S/other`, `3 click elsewhere: "open", which opens a window at S/opened`, `4 click elsewhere: "file", which downloads S/file`,
		`5 click elsewhere: "named", which downloads S/other`, `6 click elsewhere: "made", which downloads S/made`, `7 submit elsewhere: which opens a window at S/formed`,
		`8 press elsewhere: Enter, which opens a window at S/other`, `9 click done: "plain"`, `10 click done: "empty"`, `11 click done: "own", to S/own`} {
		if got := ends(res)[i+1]; !strings.HasPrefix(got, strings.ReplaceAll(want, "S/", s.URL+"/")) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var links []string
	for _, l := range res.Links {
		links = append(links, strings.TrimPrefix(l.URL, s.URL))
	}
	if want := []string{"/other", "/opened", "/file", "/made", "/formed"}; !slices.Equal(links, want) {
		t.Errorf("links %q", links)
	}
}

// TestNotFilled: a field that takes nothing, or not from us, is told of.
func TestNotFilled(t *testing.T) {
	t.Parallel()
	at := serve(t, "/", `<form><input type=file id=file><input type=submit id=submit value=send><input type=image id=image alt=x><input type=number id=number value=7>
		<button id=button>b</button><input id=refuses><input id=short maxlength=3><input id=clears oninput="this.value = ''">
		<select id=select><option>a<option disabled>b<optgroup disabled label=g><option>c</optgroup></select>
		<textarea id=area></textarea></form><script>refuses.onbeforeinput = e => e.preventDefault()</script>`)
	wrong := []struct{ step, want string }{
		{"fill: {css: '#file', value: /etc/hostname}", "this is a file field, and chains send no files"},
		{"fill: {css: '#submit', value: x}", "this is no field, but <input#submit>"},
		{"fill: {css: '#image', value: x}", "this is no field, but <input#image>"},
		{"fill: {css: '#button', value: x}", "this is no field, but <button#button>"},
		{"fill: {css: '#number', value: many}", "this is a number field, which the value does not suit"},
		{"fill: {css: '#refuses', value: x}", "the field took nothing"},
		{"select: {css: '#select', values: b}", `css "#select": the option b is disabled`},
		{"select: {css: '#select', values: c}", `css "#select": the option c is disabled`},
		{"fill: {css: '#short', value: long}", ""},
		{"fill: {css: '#clears', value: x}", ""},
		{"fill: {css: '#number', value: 12.5}", ""},
		{"fill: {css: '#area', value: a}", ""},
		{"fill: {css: '#area', value: a}", ""},
	}
	chain := "steps:\n  - navigate: /\n"
	for _, w := range wrong {
		chain += "  - " + w.step + "\n    optional: true\n"
	}
	res, err := play(t, &Runner{URL: at}, chain+"  - eval: {js: number.value + short.value + area.value, as: all}")
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range wrong {
		err := res.Reports[i+1].Err
		if w.want == "" && err != nil || w.want != "" && (err == nil || !strings.Contains(err.Error(), w.want)) {
			t.Errorf("%s: %v, want %q", w.step, err, w.want)
		}
	}
	if res.Values["all"] != "12.5lona" {
		t.Error(res.Values)
	}
	if note := res.Reports[9].Note; note != "the field holds another text than was written" {
		t.Errorf("note %q", note)
	}
}

// TestMoving: a target that moves is clicked when it holds still, and one that moves
// away under the mouse is followed; nothing else is clicked.
func TestMoving(t *testing.T) {
	t.Parallel()
	at := serve(t, "/slides", `<style>#b { position: absolute; left: 0; animation: m 1.2s linear forwards } @keyframes m { to { left: 600px } }</style>
		<button id=b onclick="o.textContent += 'hit '">press</button><p id=o style="margin-top: 50px"></p><script>document.onclick = e => { if (e.target.id != 'b') o.textContent += 'missed ' }</script>`,
		"/dodges", `<button id=b style="position: absolute; left: 100px" onclick="o.textContent += 'hit '">press</button><p id=o style="margin-top: 50px"></p><script>
		let n = 0; b.onmouseenter = () => { if (n++ < 3) b.style.left = 100 + 200 * n + 'px' }
		document.onclick = document.onmousedown = e => { if (e.target.id != 'b') o.textContent += 'missed ' }</script>`,
		"/covers", `<button id=b onclick="o.textContent += 'hit '">press</button><p id=o style="margin-top: 50px"></p><div id=veil style="position: fixed; inset: 0; display: none"></div><script>
		let n = 0; b.onmousemove = () => { if (n++ < 1) { veil.style.display = ''; setTimeout(() => veil.style.display = 'none', 300) } }
		document.onclick = e => { if (e.target.id != 'b') o.textContent += 'missed ' }</script>`,
		"/never", `<style>#b { position: absolute; left: 0; animation: m 1s linear infinite } @keyframes m { to { left: 600px } }</style><button id=b>press</button>`)
	res, err := play(t, &Runner{URL: at}, `
steps:
  - navigate: /slides
  - click: "#b"
  - eval: {js: o.textContent, as: slides}
  - navigate: /dodges
  - click: "#b"
  - eval: {js: o.textContent, as: dodges}
  - navigate: /covers
  - click: "#b"
  - eval: {js: o.textContent, as: covers}
  - navigate: /never
  - click: "#b"
    timeout: 1s
    optional: true
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"slides", "dodges", "covers"} {
		if res.Values[name] != "hit " {
			t.Errorf("%s: %q", name, res.Values[name])
		}
	}
	if err := res.Reports[10].Err; err == nil || !strings.Contains(err.Error(), `css "#b" does not hold still`) {
		t.Error(err)
	}
}

// TestReach: elements in boxes that scroll, dialogs, frames and under transforms,
// in each other too, are acted on like any other. With QUARRY_LONG=1 two hundred
// ways to put them into each other are tried, which takes some minutes.
func TestReach(t *testing.T) {
	t.Parallel()
	cases := [][]string{{}}
	names := slices.Sorted(maps.Keys(around))
	for _, name := range names {
		cases = append(cases, []string{name})
	}
	seed := uint64(12)
	if os.Getenv("QUARRY_LONG") != "" {
		seed = rand.Uint64()
	}
	random := rand.New(rand.NewPCG(seed, 0))
	more := 6
	switch {
	case os.Getenv("QUARRY_LONG") != "":
		more = 200
	case testing.Short():
		cases, more = nil, 3
	}
	for range more {
		var c []string
		for range 2 + random.IntN(2) {
			// Chrome muddles the coordinates of frames in frames that are zoomed, a dialog
			// covers those in it that are older, and what is fixed gives its box no height.
			name := names[random.IntN(len(names))]
			if name != "zoomed" && !slices.Contains(c, name) && (name != "moved" || !slices.Contains(c, "fixed")) {
				c = append(c, name)
			}
		}
		cases = append(cases, c)
	}
	gate := make(chan struct{}, 3)
	for _, c := range cases {
		t.Run(strings.Join(c, " in "), func(t *testing.T) {
			t.Parallel()
			gate <- struct{}{}
			defer func() { <-gate }()
			at := serve(t, "/", "<body>"+wrap(c))
			res, err := play(t, &Runner{URL: at}, "steps:\n  - navigate: /\n"+actAll+"  - eval: {js: \"[...window.did || []].sort().join()\", as: did}\n")
			if err != nil {
				t.Fatalf("%v (seed %d)\n%s", err, seed, wrap(c))
			}
			if got := res.Values["did"]; got != "check,click,double,fill typed,hover,scroll,select b" {
				t.Errorf("done: %v (seed %d)\n%s", got, seed, wrap(c))
			}
		})
	}
}
