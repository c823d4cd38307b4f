package action

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// ends are what became of the steps, as "2 click-while gone: note".
func ends(res *Result) (out []string) {
	for _, r := range res.Reports {
		out = append(out, fmt.Sprintf("%s %s %s: %s", r.Step, r.Action, r.End, r.Note))
	}
	return out
}

// wantEnds compares the beginnings of reports.
func wantEnds(t *testing.T, res *Result, want ...string) {
	t.Helper()
	got := ends(res)
	if len(got) != len(want) {
		t.Fatalf("reports %q\nwant %q", got, want)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("report %q, want %q", got[i], want[i])
		}
	}
}

// TestLoadMore: a button is pressed until it is gone, hidden, disabled or
// covered, adds nothing, or the cap is met.
func TestLoadMore(t *testing.T) {
	t.Parallel()
	list := func(atEnd string) string {
		return `<ul id=list></ul><button id=more>More</button><div id=veil style="display: none; position: fixed; inset: 0"></div><script>
			let n = 0
			document.getElementById('more').onclick = e => setTimeout(() => {
				if (n < 15) for (let i = 0; i < 5; i++) list.insertAdjacentHTML('beforeend', '<li>item ' + n++)
				if (n == 15) { ` + atEnd + ` }
			}, 20)
		</script>`
	}
	at := serve(t, "/gone", list("e.target.remove()"), "/hidden", list("e.target.style.display = 'none'"), "/disabled", list("e.target.disabled = true"),
		"/covered", list("veil.style.display = ''"), "/useless", list(""))
	chain, want := "steps:\n", []string{}
	for _, c := range [][2]string{
		{"/gone", `gone: 3 clicks, 15 elements more: nothing matches css "#more"`},
		{"/hidden", `gone: 3 clicks, 15 elements more: css "#more" matches 1 hidden element`},
		{"/disabled", `gone: 3 clicks, 15 elements more: css "#more" is disabled`},
		{"/covered", `gone: 3 clicks, 15 elements more: css "#more" is covered by <div#veil>`},
		{"/useless", `no growth: 4 clicks, 15 elements more: the last one added nothing within 3s`},
	} {
		chain += "  - navigate: " + c[0] + "\n  - click-while: {css: '#more', items: '#list li', idle: 3s}\n"
		want = append(want, fmt.Sprintf("%d navigate done", len(want)+1), fmt.Sprintf("%d click-while %s", len(want)+2, c[1]))
	}
	res, err := play(t, &Runner{URL: at}, chain)
	if err != nil {
		t.Fatal(err)
	}
	wantEnds(t, res, want...)
}

// TestEndless: a page without end stops at the cap that the report names, and
// what was found is kept.
func TestEndless(t *testing.T) {
	t.Parallel()
	at := serve(t, "/", `<div id=list></div><script>
		function more() { for (let i = 0; i < 10; i++) list.insertAdjacentHTML('beforeend', '<p style="height: 90px">') }
		onscroll = more; more()
	</script>`)
	res, err := play(t, &Runner{URL: at}, `
steps:
  - navigate: /
  - scroll: {max: 4}
  - scroll: {max-height: 5000}
  - scroll: {max-time: 200ms}
  - scroll: {jump: true, max: 2, items: p}
`)
	if err != nil {
		t.Fatal(err)
	}
	got := ends(res)
	for i, want := range []string{": max is 4", ": max-height is 5000", ": max-time is over", ": max is 2"} {
		if !strings.HasPrefix(got[i+1], fmt.Sprintf("%d scroll cap: ", i+2)) || !strings.HasSuffix(got[i+1], want) {
			t.Errorf("%q, want %q", got[i+1], want)
		}
	}
}

// TestScrollDraws: what came is drawn before the page is scrolled on, so that an
// observer of its end sees it out of sight first.
func TestScrollDraws(t *testing.T) {
	t.Parallel()
	at := serve(t, "/", `<div id=list></div><p id=hasty>no</p><script>
		let drawn = true
		onscroll = () => { if (!drawn) hasty.textContent = 'yes' } // which is told before the next frame
		fetch('/').then(() => { list.style.height = '3000px'; drawn = false; requestAnimationFrame(() => drawn = true) })
	</script>`)
	res, err := play(t, &Runner{URL: at}, "steps:"+strings.Repeat(`
  - navigate: /
  - scroll: {max: 1}
  - extract: {schema: {each: "#hasty", fields: {is: {xpath: .}}}}`, 16))
	if err != nil {
		t.Fatal(err)
	}
	hasty := 0
	for _, r := range res.Records {
		if r["is"] != "no" {
			hasty++
		}
	}
	if hasty > 3 { // a browser without time for frames is not waited for
		t.Errorf("scrolled before a frame: %v", res.Records)
	}
}

// TestScrollBack: a page that missed its end is told of it once more.
func TestScrollBack(t *testing.T) {
	t.Parallel()
	at := serve(t, "/", `<div id=list></div><script>
		let armed = false, n = 0
		function more() { list.insertAdjacentHTML('beforeend', '<p style="height: 2000px">' + ++n) }
		onscroll = () => {
			const end = scrollY + innerHeight > document.body.scrollHeight - 20
			if (end && armed && n < 3) more(), armed = false
			else if (!end && scrollY < last) armed = true
			last = scrollY
		}
		let last = 0
		more()
	</script>`)
	res, err := play(t, &Runner{URL: at}, `
steps:
  - navigate: /
  - scroll
  - extract: {schema: {each: p, fields: {n: {xpath: .}}}}
`)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Records) != 3 {
		t.Errorf("%v: %v", ends(res), res.Records)
	}
}

// TestVirtual: of a list that drops the rows out of sight each is taken once,
// with a container that scrolls within the page.
func TestVirtual(t *testing.T) {
	t.Parallel()
	at := serve(t, "/", `<div id=list style="height: 200px; overflow: auto"><div id=all style="height: 4000px; position: relative"></div></div><script>
		const draw = () => { all.innerHTML = ''; const f = Math.floor(list.scrollTop / 40)
			for (let i = f; i < Math.min(f + 6, 100); i++) all.insertAdjacentHTML('beforeend', '<p class=row style="position: absolute; margin: 0; top: ' + i * 40 + 'px">row ' + i) }
		list.onscroll = () => setTimeout(draw, 5); draw()
	</script>`)
	res, err := play(t, &Runner{URL: at}, `
steps:
  - navigate: /
  - scroll: {within: "#list", do: [{extract: {schema: {each: .row, fields: {n: {xpath: .}}}}}]}
  - scroll: {idle: 200ms}
`)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Records) != 100 || res.Records[99]["n"] != "row 99" {
		t.Errorf("%d records: %v", len(res.Records), res.Records)
	}
	if got := ends(res); !strings.HasSuffix(got[len(got)-1], "the page itself does not scroll; name what does by within") {
		t.Error(got)
	}
}

// TestFailure: what was found before is kept, the error says which step, and
// there is a picture; the tab goes on working.
func TestFailure(t *testing.T) {
	t.Parallel()
	at := serve(t, "/", `<p class=a>one<p class=a hidden>two`)
	tab := tabOf(t)
	r := &Runner{URL: at}
	chain, err := Parse([]byte(`
steps:
  - navigate: /
  - snapshot
  - click: .none
    optional: true
    timeout: 100ms
  - for-each:
      css: .a
      do:
        - wait: {visible: {each: true}}
          name: the element
          timeout: 1s
`))
	if err != nil {
		t.Fatal(err)
	}
	res, err := r.Run(tab, chain)
	step, ok := errors.AsType[*StepError](err)
	if !ok || !errors.Is(err, ErrTimeout) || !errors.Is(err, ErrMissing) || step.Report.Step != "4[2].1" || step.Report.End != Timeout ||
		err.Error() != `action: step 4[2].1, wait (the element): the element of the loop matches 1 hidden element after the step's 1s` {
		t.Fatalf("%v", err)
	}
	wantEnds(t, res, "1 navigate", "2 snapshot", "3 click timeout", "4[1].1 wait met", "4[2].1 wait timeout", "4 for-each timeout")
	if len(res.Pages) != 1 || len(res.Files) != 1 || res.Files[0].Name != step.Screenshot || step.Screenshot != "failed-4[2].1.png" || !strings.HasPrefix(string(res.Files[0].Body), "\x89PNG") {
		t.Errorf("%d pages, %d files, picture %q", len(res.Pages), len(res.Files), step.Screenshot)
	}
	if _, err := r.Run(tab, &Chain{Steps: Steps{{Do: Click{Selector: Selector{Text: "ONE"}}}}}); err != nil {
		t.Error(err)
	}
}

// TestSelectorErrors: a selector that the browser cannot read fails at once.
func TestSelectorErrors(t *testing.T) {
	t.Parallel()
	at := serve(t, "/", `<p>x`)
	wrong := [][2]string{
		{`{css: "p["}`, "is not a valid selector"},
		{`{xpath: "//p["}`, "is not a valid XPath expression"},
		{`{css: p, frame: nowhere}`, `there is no frame "nowhere" after the step's 1s`},
		{`{each: true}`, "each stands outside of a for-each"},
	}
	chain := "steps:\n  - navigate: /\n"
	for _, w := range wrong {
		chain += "  - click: " + w[0] + "\n    timeout: 1s\n    optional: true\n"
	}
	res, err := play(t, &Runner{URL: at}, chain)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range wrong {
		if err := res.Reports[i+1].Err; err == nil || !strings.Contains(err.Error(), w[1]) {
			t.Errorf("%s: %v, want %s", w[0], err, w[1])
		}
	}
}

// TestDeadlines: a script that never ends takes the deadline of the step, and
// the chain's own deadline and the end of the context are told apart.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	at := serve(t, "/", `<button onclick="for (;;) {}">hang`, "/ok", "ok")
	_, err := play(t, &Runner{URL: at}, "steps:\n  - navigate: /\n  - click: button\n    timeout: 300ms\n")
	if !errors.Is(err, ErrTimeout) || !strings.Contains(err.Error(), "step 2, click: not done after the step's 300ms") {
		t.Error(err)
	}
	_, err = play(t, &Runner{URL: at}, "timeout: 300ms\nsteps:\n  - navigate: /ok\n  - wait: {time: 1m}\n")
	if !errors.Is(err, ErrTimeout) || !strings.Contains(err.Error(), "not done after the chain's 300ms") {
		t.Error(err)
	}
	why := errors.New("enough")
	for _, after := range []time.Duration{0, 100 * time.Millisecond} { // before the tab is open, and while the chain runs
		ctx, stop := context.WithCancelCause(tabOf(t))
		time.AfterFunc(after, func() { stop(why) })
		_, err = (&Runner{URL: at}).Run(ctx, &Chain{Steps: Steps{{Do: Navigate{URL: "/ok"}}, {Do: Wait{Time: time.Minute}}}})
		if !errors.Is(err, why) || errors.Is(err, ErrTimeout) {
			t.Errorf("ended after %v: %v", after, err)
		}
	}
}

// TestCrash: a page that crashes is told at once.
func TestCrash(t *testing.T) {
	t.Parallel()
	at := serve(t, "/", "x")
	tab := tabOf(t)
	_, err := (&Runner{URL: at, OnReport: func(r Report) {
		if r.Step == "2" && r.End == Begun {
			go crash(tab)
		}
	}}).Run(tab, &Chain{Steps: Steps{{Do: Navigate{URL: "/"}}, {Do: Wait{Time: 20 * time.Second}}}})
	if !errors.Is(err, ErrCrashed) {
		t.Error(err)
	}
}

// TestSecrets: what comes from the environment is nowhere in what is told.
func TestSecrets(t *testing.T) {
	t.Parallel()
	at := serve(t, "/", `<input id=a><p id=b></p><script>a.oninput = () => b.textContent = a.value</script>`)
	lookup := func(name string) (string, bool) { return "opensesame", name == "SECRET" }
	res, err := play(t, &Runner{URL: at, Lookup: lookup}, `
steps:
  - navigate: /
  - fill: {css: "#a", value: {env: SECRET}}
  - eval: b.textContent
  - click: "#b"
  - eval: "Promise.reject(new Error('no ' + b.textContent))"
`)
	if err == nil || !strings.Contains(err.Error(), "Error: no ***") || strings.Contains(fmt.Sprint(ends(res), err), "opensesame") {
		t.Error(err, ends(res))
	}
	_, err = play(t, &Runner{URL: at, Lookup: lookup}, "steps: [{navigate: /}, {fill: {css: \"#a\", value: {env: OTHER}}}]")
	if err == nil || !strings.Contains(err.Error(), "the environment variable OTHER is not set") {
		t.Error(err)
	}
}

// TestLoginOnce: many chains at once log in once, and again when the site has
// forgotten them.
func TestLoginOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	logins, session := 0, ""
	mux := http.NewServeMux()
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<form method=post><input name=user><input name=pass type=password><button>in</button></form>`)
	})
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("user") != "ann" || r.FormValue("pass") != "secret" {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `<form method=post><input name=user><input name=pass type=password></form>`)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		logins++
		session = fmt.Sprint("s", logins)
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: session, HttpOnly: true})
		http.Redirect(w, r, "/", http.StatusSeeOther)
	})
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if c, err := r.Cookie("sid"); err != nil || c.Value != session {
			http.Redirect(w, r, "/login", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<p id=hello>hello ann`)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	runner := &Runner{URL: s.URL, Sessions: new(Sessions)}
	chain := func(password string) string {
		return `steps: [{login: {url: /login, user: ann, password: ` + password + `}, timeout: 20s}, {navigate: /}, {wait: "#hello", timeout: 5s}]`
	}
	c, err := Parse([]byte(chain("secret")))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 2 {
		tab := tabOf(t) // which may skip the test, and must not in another goroutine
		all.Go(func() {
			if _, err := runner.Run(tab, c); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if logins != 1 {
		t.Errorf("%d logins", logins)
	}
	mu.Lock()
	session = "forgotten"
	mu.Unlock()
	if _, err := play(t, runner, chain("secret")); err != nil || logins != 2 {
		t.Errorf("%d logins, %v", logins, err)
	}
	if _, err := play(t, &Runner{URL: s.URL}, chain("wrong")); err == nil || !strings.Contains(err.Error(), "the form is still there (status 403)") {
		t.Error(err)
	}
}
