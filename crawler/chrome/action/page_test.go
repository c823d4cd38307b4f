package action

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// TestFrames: elements in shadow roots, in frames, and in frames of other sites
// that live in processes of their own, are found, clicked, filled in and read.
func TestFrames(t *testing.T) {
	t.Parallel()
	inner := `<body style="margin: 0"><p id=out>closed</p><input id=in><button onclick="out.textContent = 'open ' + document.getElementById('in').value">open</button>`
	other := strings.Replace(serve(t, "/far", inner, "/deep", `<div style="height: 70px"></div><iframe src="/far"></iframe>`), "127.0.0.1", "localhost", 1)
	at := serve(t, "/near", inner, "/", `<div style="height: 1500px"></div><x-box><b slot=name>slotted</b></x-box>
		<iframe name=near src=/near></iframe><iframe id=far src="`+other+`/far"></iframe><iframe id=deep height=300 src="`+other+`/deep"></iframe>
		<script>customElements.define('x-box', class extends HTMLElement { constructor() { super()
			this.attachShadow({mode: 'open'}).innerHTML = '<i>in the shadow</i> <slot name=name></slot><button onclick="this.textContent = \'pressed\'">press</button>' } })</script>`)
	res, err := play(t, &Runner{URL: at}, `
steps:
  - navigate: /
  - click: {css: "x-box >>> button"}
  - wait: {visible: {css: "x-box button", text: pressed}}
    optional: true
    timeout: 100ms
  - wait: {visible: {text: pressed}}
  - fill: {css: input, frame: near, value: one}
  - click: {text: open, frame: near}
  - fill: {css: input, frame: far, value: two}
  - click: {text: open, frame: far}
  - click: {text: open, frame: "`+other+`/far", nth: 1}
  - eval: {js: "document.getElementById('out').textContent", frame: near, as: near}
  - eval: {js: "document.getElementById('out').textContent", frame: far, as: far}
  - extract: {frame: "*", schema: {fields: {out: "#out"}}}
  - for-each:
      css: button
      frame: far
      do: [{click: {each: true}}]
  - snapshot: {frames: true}
`)
	if err != nil {
		t.Fatal(err)
	}
	if res.Values["near"] != "open one" || res.Values["far"] != "open two" {
		t.Error(res.Values)
	}
	all := fmt.Sprint(res.Records)
	if !strings.Contains(all, "open one") || !strings.Contains(all, "open two") {
		t.Error(all)
	}
	if len(res.Pages) != 5 || !strings.Contains(res.Pages[0].HTML, "<x-box><i>in the shadow</i> <b slot=\"name\">slotted</b><button") || !res.Pages[4].Frame {
		t.Errorf("%d pages: %+v", len(res.Pages), res.Pages)
	}
	if r := res.Reports[2]; r.End != Timeout {
		t.Errorf("a selector that crosses a shadow root: %+v", r)
	}
}

// echo serves a page that tells what it was asked with, and notes it.
func echo(t *testing.T) (at string, asked func(path, header string) string) {
	var mu sync.Mutex
	seen := map[string]http.Header{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.URL.Path] = r.Header
		mu.Unlock()
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/away" {
			http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
			return
		}
		fmt.Fprint(w, `<p>`, r.Header.Get("Cookie"))
	}))
	t.Cleanup(s.Close)
	return s.URL, func(path, header string) string {
		mu.Lock()
		defer mu.Unlock()
		return seen[path].Get(header)
	}
}

// TestSet: what is set reaches the page; headers and cookies go to its origin
// alone, and all of it ends with the chain.
func TestSet(t *testing.T) {
	t.Parallel()
	at, asked := echo(t)
	elsewhere, askedThere := echo(t)
	tab := tabOf(t)
	chain, err := Parse([]byte(`
steps:
  - set:
      cookies: [{name: a, value: b}]
      headers: {Authorization: {env: TOKEN}, X-Mine: "1"}
      viewport: {width: 500, height: 400, scale: 2}
      geolocation: {latitude: 52.5, longitude: 13.4}
      locale: de-DE
      timezone: Asia/Tokyo
  - navigate: /page
  - eval: {as: facts, js: "[innerWidth, devicePixelRatio, (1.5).toLocaleString(), new Date(0).getHours(), navigator.language].join()"}
  - eval: {as: place, js: "new Promise((ok, no) => navigator.geolocation.getCurrentPosition(p => ok(p.coords.latitude), no))"}
  - eval: fetch('` + elsewhere + `/fetch').then(r => r.text())
  - eval: fetch('/away?to=` + elsewhere + `/hop').then(r => r.text())
  - set: {cookies: [{name: c, value: d}]}
  - navigate: /later
`))
	if err != nil {
		t.Fatal(err)
	}
	lookup := func(string) (string, bool) { return "Bearer x1", true }
	res, err := (&Runner{URL: at, Lookup: lookup}).Run(tab, chain)
	if err != nil {
		t.Fatal(err, ends(res))
	}
	if res.Values["facts"] != "500,2,1,5,9,de-DE" || res.Values["place"] != 52.5 {
		t.Error(res.Values)
	}
	if asked("/page", "Authorization") != "Bearer x1" || asked("/later", "X-Mine") != "1" || asked("/away", "X-Mine") != "1" ||
		asked("/page", "Cookie") != "a=b" || asked("/later", "Cookie") != "a=b; c=d" || !strings.HasPrefix(asked("/page", "Accept-Language"), "de-DE") {
		t.Errorf("%q %q %q %q", asked("/page", "Authorization"), asked("/page", "Cookie"), asked("/later", "Cookie"), asked("/page", "Accept-Language"))
	}
	for _, path := range []string{"/fetch", "/hop"} {
		if askedThere(path, "User-Agent") == "" || askedThere(path, "Authorization")+askedThere(path, "X-Mine") != "" {
			t.Errorf("%s was asked with %q", path, askedThere(path, "Authorization"))
		}
	}
	res, err = (&Runner{URL: at}).Run(tab, &Chain{Steps: Steps{{Do: Navigate{URL: "/after"}}, {Do: Eval{JS: "innerWidth + navigator.language", As: "facts"}}}})
	if err != nil || asked("/after", "X-Mine") != "" || asked("/after", "Cookie") != "a=b; c=d" || strings.Contains(fmt.Sprint(res.Values["facts"]), "de-DE") {
		t.Error(err, res.Values, asked("/after", "Cookie"))
	}
}

// TestDismiss: consent dialogs are answered by what they say, in several
// languages, by their makers' elements and in frames; other dialogs are left.
func TestDismiss(t *testing.T) {
	t.Parallel()
	dialog := func(text string, buttons ...string) string {
		s := `<div style="position: fixed; inset: 0; background: #fff" onclick="if (event.target.localName == 'button') this.remove(), out.textContent = event.target.textContent"><p>` + text + `</p>`
		for _, b := range buttons {
			s += "<button>" + b + "</button>"
		}
		return "<p id=out>none</p>" + s + "</div>"
	}
	de := dialog("Wir verwenden Cookies", "Alle akzeptieren", "Einstellungen", "Nur notwendige")
	at := serve(t, "/en", dialog("We use cookies", "Manage", "Accept All", "Reject all"), "/de", de, "/fr", dialog("Nous respectons votre vie privée", "Tout accepter", "Continuer sans accepter"),
		"/yes", dialog("This site uses cookies.", "OK"), "/news", dialog("Subscribe to our newsletter", "No", "OK"), "/stuck", dialog("Cookie settings", "Save my choice"),
		"/maker", `<p id=out>none</p><div><a id=onetrust-reject-all-handler onclick="this.remove(); out.textContent = 'maker'">Nej</a></div>`,
		"/framed", `<p id=out>none</p><iframe src=/de style="position: fixed; inset: 0; width: 100%; height: 100%"></iframe>`)
	want := map[string]any{"en": "Reject all", "de": "Nur notwendige", "fr": "Continuer sans accepter", "yes": "OK", "maker": "maker", "news": "none"}
	chain := "steps:\n"
	for name := range want {
		dismiss := "dismiss"
		if name == "news" {
			dismiss = "dismiss: {max-time: 100ms}"
		}
		chain += "  - navigate: /" + name + "\n  - " + dismiss + "\n  - eval: {js: out.textContent, as: " + name + "}\n"
	}
	res, err := play(t, &Runner{URL: at}, chain)
	if err != nil || !reflect.DeepEqual(res.Values, want) {
		t.Error(res.Values, err)
	}
	res, err = play(t, &Runner{URL: at}, "steps: [{navigate: /en}, {dismiss: accept}, {eval: {js: out.textContent, as: out}}, {navigate: /framed}, {dismiss: }, {wait: {visible: {text: Nur notwendige, frame: '*'}}}]")
	if err != nil || res.Values["out"] != "Accept All" {
		t.Error(res.Values, err)
	}
	_, err = play(t, &Runner{URL: at}, "steps: [{navigate: /stuck}, dismiss]")
	if err == nil || !strings.Contains(err.Error(), "no button of it says yes or no; name its button") {
		t.Error(err)
	}
}

// TestForm: fields of all kinds, keys, dialogs of the browser and a form that is
// not filled in right.
func TestForm(t *testing.T) {
	t.Parallel()
	at := serve(t, "/done", "<p>done", "/", `<form action=/done><input id=text value=old><textarea id=area></textarea><div id=rich contenteditable>old</div>
		<input id=day type=date><input id=color type=color><label><input id=box type=checkbox>a box</label><input id=radio type=radio>
		<select id=one><option value=a>Apple<option value=b>Pear</select><select id=many multiple><option>x<option>y<option>z</select>
		<input id=needed required></form><p id=log></p><script>
		text.onkeydown = e => log.textContent += e.key + (e.ctrlKey ? '!' : '') + ' '
		</script><button onclick="alert('hello'); log.textContent += confirm('go on?')">ask</button>`)
	res, err := play(t, &Runner{URL: at}, `
steps:
  - navigate: /
  - fill: {css: "#text", value: "né w"}
  - press: {key: Control+a, on: "#text"}
  - press: {key: ArrowLeft, times: 2}
  - fill: {css: "#text", value: keys, keys: true}
  - fill: {css: "#area", value: "a\nb"}
  - fill: {css: "#rich", value: rich}
  - fill: {css: "#day", value: 2027-02-03}
  - fill: {css: "#color", value: "#ff0000"}
  - fill: {text: a box, value: true}
  - fill: {css: "#radio", value: true}
  - select: {css: "#one", values: pear}
  - select: {css: "#many", values: [x, z]}
  - hover: {text: ask}
  - click: {text: ask}
  - eval: {as: all, js: "[text.value, area.value, rich.textContent, day.value, color.value, box.checked, radio.checked, one.value, [...many.selectedOptions].map(o => o.value)].join('|')"}
  - eval: {as: log, js: log.textContent}
  - submit:
    optional: true
  - fill: {css: "#text", value: ""}
  - fill: {css: "#needed", value: x}
  - submit: form
  - wait: {url: "/done?*"}
`)
	if err != nil {
		t.Fatal(err)
	}
	if res.Values["all"] != "keys|a\nb|rich|2027-02-03|#ff0000|true|true|b|x,z" || res.Values["log"] != "a! ArrowLeft ArrowLeft k e y s false" {
		t.Error(res.Values)
	}
	if r := res.Reports[17]; r.Action != "submit" || r.Err == nil || !strings.Contains(r.Err.Error(), "the form is not filled in right: <input#needed>") {
		t.Errorf("%+v", r)
	}
	wrong := []struct{ step, want string }{
		{"fill: {css: '#day', value: soon}", "this is a date field, which the value does not suit"},
		{"fill: {css: '#one', value: a}", "use select"},
		{"fill: {css: form, value: a}", "this is no field, but <form>"},
		{"fill: {css: '#box', value: yes}", "its value is true or false"},
		{"select: {css: '#one', values: plum}", `css "#one" has no option "plum"; it has Apple, Pear`},
		{"select: {css: '#one', values: [a, b]}", "this takes one option only"},
		{"select: {css: '#text', values: [a, b]}", "this is no select element"},
	}
	chain := "steps:\n  - navigate: /\n"
	for _, w := range wrong {
		chain += "  - " + w.step + "\n    optional: true\n"
	}
	if res, err = play(t, &Runner{URL: at}, chain); err != nil {
		t.Fatal(err)
	}
	for i, w := range wrong {
		if err := res.Reports[i+1].Err; err == nil || !strings.Contains(err.Error(), w.want) {
			t.Errorf("%s: %v, want %s", w.step, err, w.want)
		}
	}
}
