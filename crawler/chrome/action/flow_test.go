package action

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// TestPaginate: pages are turned until there is no next one, the last repeats
// itself, they go in a circle, or the cap is met.
func TestPaginate(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{kind}/{n}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		var n int
		fmt.Sscan(r.PathValue("n"), &n)
		next := n + 1
		switch r.PathValue("kind") {
		case "circle":
			next = n%3 + 1
		case "same":
			next = min(next, 3)
		}
		fmt.Fprintf(w, "<p class=item>item %d</p>", n)
		if r.PathValue("kind") != "list" || n < 3 {
			fmt.Fprintf(w, `<a id=next href="%d">next</a>`, next)
		}
	})
	mux.HandleFunc("GET /script", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<p class=item>item 1</p><button id=next>next</button><script>let n = 1
			next.onclick = () => setTimeout(() => { document.querySelector('.item').textContent = 'item ' + ++n; next.disabled = n == 3 }, 80)</script>`)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	res, err := play(t, &Runner{URL: s.URL}, `
steps:
  - navigate: /list/1
  - paginate: {css: "#next", do: [{extract: {schema: {each: .item, fields: {is: {xpath: .}}}}}]}
  - navigate: /circle/1
  - paginate: "#next"
  - navigate: /same/1
  - paginate: {css: "#next", idle: 2s}
  - navigate: /endless/1
  - paginate: {css: "#next", max: 2}
  - navigate: /script
  - paginate: {css: "#next", idle: 3s, do: [{extract: {schema: {each: .item, fields: {is: {xpath: .}}}}}]}
`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range ends(res) {
		if strings.Contains(r, " paginate ") {
			got = append(got, r)
		}
	}
	if want := []string{
		`2 paginate gone: 3 pages: nothing matches css "#next"`,
		"4 paginate no growth: 3 pages: the next one has been before",
		"6 paginate no growth: 3 pages: the next one is the same",
		"8 paginate cap: 2 pages: max is 2",
		`10 paginate gone: 3 pages: css "#next" is disabled`,
	}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if len(res.Records) != 6 || len(res.Pages) != 8 {
		t.Errorf("%d records, %d pages", len(res.Records), len(res.Pages))
	}
}

// TestForEach: each element has its turn, in loops within loops, and after
// a round that has left the page the next is looked for on it.
func TestForEach(t *testing.T) {
	t.Parallel()
	at := serve(t, "/", `<ul><li>1 <b>a</b> <b>b</b></li><li>2 <b>c</b></li></ul><p><a href=/x>x</a> <a href=/y>y</a> <a href="#/z" id=z>z</a></p>`, "/x", "<p id=at>x", "/y", "<p id=at>y")
	res, err := play(t, &Runner{URL: at}, `
steps:
  - navigate: /
  - for-each:
      css: li
      do:
        - for-each: {css: b, each: true, do: [{click: {each: true}}]}
        - if-exists: {css: b, text: c, each: true, then: [{eval: {js: "({only: 'second'})", records: true}}]}
  - for-each:
      css: p a
      do: [{click: {each: true}}, {eval: {js: "({at: location.pathname + location.hash})", records: true}}]
  - for-each: {css: .none, do: [snapshot]}
  - for-each: {css: a, max: 1, do: [{hover: {each: true}}]}
  - if-exists: {css: .none, then: [snapshot], else: [{eval: {js: 1 + 1, as: two}}]}
  - if-exists: {css: .none, then: [snapshot]}
`)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(res.Records); got != "[map[only:second] map[at:/x] map[at:/y] map[at:/#/z]]" || res.Values["two"] != 2.0 || len(res.Pages) != 0 {
		t.Error(got, res.Values)
	}
	got := ends(res)
	for _, want := range []string{
		`2[1].1[1].1 click done: "a"`, `2[1].1[2].1 click done: "b"`, `2[2].1[1].1 click done: "c"`, "2[1].2 if-exists gone: ", "2[2].2.then.1 eval done: 1 record",
		`4 for-each gone: nothing matches css ".none"`, "5 for-each cap: 1 of 3 elements: max is 1", "6.else.1 eval done: 2", `7 if-exists gone: nothing matches css ".none"`,
	} {
		if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("no report %q in %q", want, got)
		}
	}
}

// TestFindLinks: clicks that would lead elsewhere are taken down as links, no
// page is left and no window opens.
func TestFindLinks(t *testing.T) {
	t.Parallel()
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			fmt.Fprint(w, `<a href=/plain>plain</a><span onclick="location.href = '/href'">href</span><div id=listen>listened</div>
				<b style="cursor: pointer" id=late>late</b><button onclick="window.open('/window?utm_source=x')">window</button>
				<i data-href=/push>push</i><u onclick="location.hash = '#/route'">hash</u><em onclick="this.remove()">goes</em>
				<form><button>submit</button></form><s id=all><s onclick="document.body.insertAdjacentHTML('beforeend', 'x')">nothing</s></s>
				<script>document.getElementById('listen').addEventListener('mousedown', () => 1)
				document.getElementById('listen').addEventListener('click', () => location.assign('/listened'))
				late.onclick = () => fetch('/api').then(() => location.replace('/late'))
				document.querySelector('i').onclick = e => history.pushState({}, '', e.target.dataset.href)</script>`)
		}
	}))
	t.Cleanup(s.Close)
	res, err := play(t, &Runner{URL: s.URL}, "steps: [{navigate: /}, find-links, {find-links: {css: span}}, {eval: {js: String(window.open), as: open}}, {click: span}, {wait: {url: /href}}]")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range res.Links {
		got = append(got, strings.TrimPrefix(l.URL, s.URL)+" "+l.Text+" "+l.Rel)
	}
	if want := []string{"/href href script", "/listened listened script", "/late late script", "/window window script", "/push push script", "/#/route hash script"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	slices.Sort(asked)
	if asked = slices.Compact(asked); !slices.Equal(asked, []string{"/", "/api", "/favicon.ico", "/href"}) && !slices.Equal(asked, []string{"/", "/api", "/href"}) {
		t.Errorf("asked %q", asked)
	}
	if !strings.Contains(fmt.Sprint(res.Values["open"]), "native code") {
		t.Error(res.Values)
	}
}

// TestNavigate: what opening a page may end in.
func TestNavigate(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
		case "/slow":
			fmt.Fprint(w, "<p>there<img src=/never>")
		case "/never":
			<-hold
		case "/file":
			w.Header().Set("Content-Disposition", "attachment")
		case "/busy":
			fmt.Fprint(w, "<p id=p><script>setInterval(() => p.textContent = Math.random(), 20); setInterval(() => fetch('/'), 50)</script>")
		}
	}))
	t.Cleanup(func() { close(hold); s.Close() })
	closed := httptest.NewServer(nil)
	closed.Close()
	res, err := play(t, &Runner{URL: s.URL, Allow: func(u string) error {
		if strings.Contains(u, "forbidden") {
			return fmt.Errorf("no")
		}
		return nil
	}}, `
steps:
  - navigate: /missing
  - {navigate: {url: /slow, max-time: 200ms}}
  - {navigate: {url: /slow, until: dom}}
  - snapshot
  - {navigate: /busy}
  - wait: {stable: "#p", max-time: 700ms}
  - wait: {idle: 5s, max-time: 500ms}
  - {navigate: /file, optional: true}
  - {navigate: "`+closed.URL+`", optional: true}
  - {navigate: /forbidden, optional: true}
  - {navigate: "file:///etc/passwd", optional: true}
`)
	if err != nil {
		t.Fatal(err)
	}
	got := ends(res)
	for i, want := range []string{"status 404", "status 200, still loading after 200ms", "/slow, status 200", "1 page", "status 200", `css "#p" still changes after 700ms`, "the network is not idle after 500ms"} {
		if !strings.HasSuffix(strings.TrimSuffix(got[i], ", 0 KB"), want) {
			t.Errorf("%q, want %q", got[i], want)
		}
	}
	for i, want := range []string{"", "net::ERR_CONNECTION_REFUSED", "the URL is not to be opened: " + s.URL + "/forbidden: no", "is neither http nor https"} {
		if err := res.Reports[7+i].Err; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := play(t, new(Runner), "steps: [{navigate: /a}]"); err == nil || !strings.Contains(err.Error(), `"/a" is relative, and there is no page yet`) {
		t.Error(err)
	}
}
