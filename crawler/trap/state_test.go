package trap

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/frontier"
)

// visit shows a Guard a page, and returns the links that it lets follow.
func visit(g *Guard, url, title, text string, to ...string) (followed []string) {
	resp := &crawler.Response{Request: frontier.Request{URL: url, Via: "http://a.test/"}, URL: url, Status: 200}
	page := &crawler.Page{Response: resp, URL: url, Title: title, Text: text}
	for _, u := range to {
		page.Links = append(page.Links, crawler.Link{URL: u})
	}
	g.watch(page, resp)
	follow := g.Follow(crawler.Any)
	for _, l := range page.Links {
		if _, ok := follow(page, l); ok {
			followed = append(followed, l.URL)
		}
	}
	return followed
}

// month shows a page of an empty calendar.
func month(g *Guard, n int) []string {
	at := func(n int) string { return fmt.Sprintf("http://a.test/cal/%d/%d/", 2000+n/12, 1+n%12) }
	return visit(g, at(n), "Calendar", "no events in this month", at(n+1), at(n+1)+"1", at(n+1)+"2")
}

func TestRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	g, err := Open(dir, Options{Links: 1 << 12})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{Links: 1 << 12}); err == nil {
		t.Error("opened twice")
	}
	read := 0
	for n := range 100 {
		if v, _ := g.Explain("http://a.test/cal/2090/1/"); v.Refused {
			break
		}
		if n%2 == 1 { // a restart after every second page
			if err := g.Close(); err != nil {
				t.Fatal(err)
			}
			if g, err = Open(dir, Options{Links: 1 << 12}); err != nil {
				t.Fatal(err)
			}
		}
		month(g, n)
		read++
	}
	if read > 25 {
		t.Errorf("%d pages read before the calendar was closed", read)
	}
	v, ok := g.Explain("http://a.test/cal/2090/1/")
	if !ok || v.Reason != Calendar && v.Reason != Same || !strings.Contains(v.String(), "refused: calendar: http://a.test/cal/0/0/") {
		t.Errorf("%v", v)
	}
	if _, ok := g.Explain("http://b.test/"); ok || g.Why("http://b.test/") != "" {
		t.Error("a host that was not met is explained")
	}
	if got := visit(g, "http://a.test/cal/2089/12/", "Calendar", "no events in this month", "http://a.test/cal/2090/1/", "http://a.test/about"); len(got) != 1 {
		t.Errorf("followed %v", got)
	}
	if got := visit(g, "http://a.test/", "Home", "welcome", "http://a.test/cal/2091/1/"); len(got) != 1 {
		t.Errorf("a month that another page links to is not followed")
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, stateFile)
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(good); at += max(7, len(good)/100) {
		bad := append([]byte(nil), good...)
		bad[at] ^= 0x21
		os.WriteFile(name, bad, 0o644)
		if _, err := Open(dir, Options{Links: 1 << 12}); !errors.Is(err, ErrCorrupt) {
			t.Errorf("byte %d flipped: %v", at, err)
		}
	}
}

// TestRestartAmongWords: what pages without a pattern have cost is not forgotten.
func TestRestartAmongWords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(n int, tail string) string {
		return "http://a.test/" + string([]byte{'a' + byte(n/26), 'a' + byte(n%26)}) + tail
	}
	const session, text = 6, "There is nothing here but what there is anywhere else, and you may go on to any of these."
	for n := range 4 * session {
		g, err := Open(dir, Options{Links: 1 << 12})
		if err != nil {
			t.Fatal(err)
		}
		for i := range session {
			visit(g, at(n*session+i, ""), "Words", text, at(n*session+i+1, ""), at(n*session+i, "/x"), at(n*session+i, "/y"))
		}
		closed := g.hosts["http://a.test"].Words.Closed
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		if closed {
			return
		}
	}
	t.Error("never closed")
}

// TestForgottenLinks: however many links are seen, pages of a set that has an end
// are not taken for a trap because its links were forgotten.
func TestForgottenLinks(t *testing.T) {
	t.Parallel()
	g := New(Options{Links: 256})
	index := make([]string, 201)
	at := func(n int) string { return fmt.Sprintf("http://a.test/dir_%08x9ae.html", n*2654435761%0x7fffffff) }
	for n := range index {
		index[n] = at(n)
	}
	visit(g, "http://a.test/index.html", "Index", "all folders", index...)
	for round := range 20 {
		for n := range 200 {
			got := visit(g, at(n), "src Directory Reference", "files and folders of the source in this place and no other than these", at(n+1), at((n*7+round)%200), at((n*13)%200))
			if len(got) != 3 && n < 199 {
				t.Fatalf("round %d, page %d: followed %d", round, n, len(got))
			}
			visit(g, fmt.Sprintf("http://b.test/%d/x%d", round, n), fmt.Sprint(round, n), fmt.Sprint("page ", n), fmt.Sprintf("http://b.test/%d/y%d", round, n), fmt.Sprintf("http://b.test/%d/z%d", n, round))
		}
	}
}

// TestLinksGrow: what is known of links stays known as tables grow, and after a restart.
func TestLinksGrow(t *testing.T) {
	t.Parallel()
	const n = 3 * firstLinks / 2
	at := func(i int) uint64 {
		h := uint64(i+1) * 0x9e3779b97f4a7c15
		h = (h ^ h>>32) * 0xd6e8feb86659fd93
		return h ^ h>>32
	}
	links, filter := newTraces(defaultLinks), newSeen(4*firstLinks)
	fresh := 0
	for i := range n {
		links.put(at(i), trace{title: uint32(i)})
		if filter.add(at(i)) {
			fresh++
		}
	}
	if fresh < n-n/50 || len(filter.levels) != 2 || len(links.slots) != defaultLinks {
		t.Errorf("%d of %d are fresh; %d levels, %d slots", fresh, n, len(filter.levels), len(links.slots))
	}
	known := 0
	for i := range n {
		if e := links.get(at(i)); e != nil && e.title == uint32(i) {
			known++
		}
	}
	if known < n*9/10 { // some lay where another came, in the small table mostly
		t.Errorf("%d of %d traces are kept", known, n)
	}
	old := newLevel(4 * firstLinks) // as earlier programs had it
	for i := range n {
		old.put(at(i), true)
	}
	for name, saved := range map[string][]byte{"levels": filter.save(), "one level": (&seen{levels: []level{old}, n: n}).save()} {
		again := newSeen(4 * firstLinks)
		again.load(sealed(saved))
		for i := range n {
			if again.add(at(i)) {
				t.Fatalf("%s: link %d of %d is forgotten", name, i, n)
			}
		}
		if again.full() || !again.add(at(n)) && !again.add(at(n+1)) && !again.add(at(n+2)) {
			t.Errorf("%s: nothing is fresh any more", name)
		}
		twice := newSeen(4 * firstLinks)
		if twice.load(sealed(again.save())); twice.full() || twice.add(at(7)) {
			t.Errorf("%s: forgotten after another restart", name)
		}
	}
	lost := newSeen(4 * firstLinks)
	if lost.load(sealed(filter.save()[8:])); !lost.full() {
		t.Error("a filter that does not fit is used")
	}
	if lost.load(nil); !lost.full() {
		t.Error("a filter that is missing is used")
	}
}

// TestBounds: what is remembered of very many hosts and patterns is bounded.
func TestBounds(t *testing.T) {
	t.Parallel()
	g := New(Options{Links: 1 << 12})
	for n := range hostsInAll + 100 {
		visit(g, fmt.Sprintf("http://h%d.test/x%d", n, n), "x", "y")
	}
	for n := range patternsAHost + 100 {
		visit(g, fmt.Sprintf("http://a.test/%s/%d", strings.Repeat("x", n), n), "x", "y")
	}
	if len(g.hosts) > hostsInAll || len(g.hosts["http://a.test"].Patterns) > patternsAHost {
		t.Errorf("%d hosts, %d patterns of one", len(g.hosts), len(g.hosts["http://a.test"].Patterns))
	}
	all := 0
	for _, h := range g.hosts {
		all += len(h.Patterns)
	}
	if all != g.patterns {
		t.Errorf("%d patterns, counted %d", all, g.patterns)
	}
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"http://a.test":                             "",
		"http://a.test/":                            "/",
		"http://a.test/about/us.html":               "/about/us.html",
		"http://a.test/2024/05/node12.html":         "/0/0/node0.html",
		"http://a.test/s/9f86d081884c7d65/x":        "/s/#/x",
		"http://a.test/commit/da39a3ee5e6b4b0d3255": "/commit/#",
		"http://a.test/face/deadbeef":               "/face/deadbeef",
		"http://a.test/a/b/a/b/a/b/":                "/a/b/+/",
		"http://a.test/a/a/a/a/b.html":              "/a/+/b.html",
		"http://a.test/img/img/img/":                "/img/+/",
		"http://a.test/05/05/":                      "/0/0/",
		"http://a.test/x/y/x/x/y/":                  "/x/y/+",
		"http://a.test/find?q=x&page=2#end":         "/find?page&q",
		"http://a.test/f?x%3D1%26x=2&x=3":           "/f?*&x",
		"nonsense":                                  "",
	} {
		if s := shapeOf(url, nil); string(s.text) != want {
			t.Errorf("%s folds to %s, want %s", url, s.text, want)
		}
	}
}

// TestHostsAreTheirOwn: one that is numbered 0 is not what the others fold to, and few that
// are forgotten and met again are not many.
func TestHostsAreTheirOwn(t *testing.T) {
	t.Parallel()
	g := New(Options{})
	for range 30 {
		for _, origin := range []string{"http://user0.a.test", "http://user1.a.test"} {
			if key := g.key(origin); key != origin {
				t.Fatalf("%s is known by %s", origin, key)
			}
			g.host(origin)
		}
		g.forgetHost()
		g.forgetHost()
	}
	for n := range manyHosts {
		g.host(g.key(fmt.Sprintf("http://user%d.a.test", n)))
	}
	if key := g.key("http://user77.a.test"); key != "http://user#.a.test" {
		t.Errorf("one of many is known by %s", key)
	}
}

func FuzzShape(f *testing.F) {
	f.Add("http://a.test/2024/05/x12/9f86d081884c7d65/a/a/a/b/c/b/c?q=1&q=2&%41=b#c")
	f.Add("http://a.test?x=" + strings.Repeat("y", 200))
	f.Add("://///?&&==")
	f.Fuzz(func(t *testing.T, url string) {
		s := shapeOf(url, nil)
		if s.root > len(s.text) || s.repeats < 1 {
			t.Errorf("%q: %+v", url, s)
		}
		g := New(Options{Links: 64})
		visit(g, url, "a", "b", url, url+"/1", url+"?a=1")
		g.Explain(url)
	})
}

func FuzzState(f *testing.F) {
	dir := f.TempDir()
	g, err := Open(dir, Options{Links: 64})
	if err != nil {
		f.Fatal(err)
	}
	month(g, 1)
	visit(g, "http://a.test/p?q=1", "t", "some words", "http://a.test/p?q=2")
	g.Close()
	good, err := os.ReadFile(filepath.Join(dir, stateFile))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good[9:])
	f.Fuzz(func(t *testing.T, b []byte) {
		g := New(Options{Links: 64})
		if err := g.load(sealed(b)); err != nil {
			return
		}
		month(g, 2)
		visit(g, "http://a.test/p?q=2", "t", "some words", "http://a.test/p?q=3")
	})
}

func BenchmarkWatch(b *testing.B) {
	g := New(Options{})
	resp := &crawler.Response{Request: frontier.Request{URL: "http://a.test/p1.html"}, Status: 200}
	page := &crawler.Page{Response: resp, URL: "http://a.test/p1.html", Title: "x", Text: strings.Repeat("some words of a page ", 100)}
	for n := range 100 {
		page.Links = append(page.Links, crawler.Link{URL: fmt.Sprintf("http://a.test/folder%d/p%d.html", n, n)})
	}
	follow := g.Follow(crawler.Any)
	b.ReportAllocs()
	for b.Loop() {
		g.watch(page, resp)
		for _, l := range page.Links {
			follow(page, l)
		}
	}
}
