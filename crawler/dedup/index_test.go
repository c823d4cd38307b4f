package dedup

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// twin is an index that compares each page with all others.
type twin struct {
	opt    Options
	urls   []string
	prints []Fingerprint
	group  []int
}

func (w *twin) add(url string, f Fingerprint) {
	me := len(w.urls)
	w.urls, w.prints, w.group = append(w.urls, url), append(w.prints, f), append(w.group, me)
	if f.Words == 0 {
		return
	}
	for i := range me {
		g := w.prints[i]
		near := f.Same(g) || f.long() && g.long() && f.Distance(g) <= w.opt.Distance && f.Sketch.Resemblance(g.Sketch) >= w.opt.Resemblance
		if near {
			from, to := max(w.group[me], w.group[i]), min(w.group[me], w.group[i])
			for k := range w.group {
				if w.group[k] == from {
					w.group[k] = to
				}
			}
		}
	}
}

func (w *twin) groups() map[string]string {
	by := make(map[int][]string)
	for i, g := range w.group {
		by[g] = append(by[g], w.urls[i])
	}
	return asMap(slices.Collect(maps.Values(by)))
}

// asMap names each page's group by its members.
func asMap(groups [][]string) map[string]string {
	m := make(map[string]string)
	for _, g := range groups {
		slices.Sort(g)
		for _, url := range g {
			if len(g) > 1 {
				m[url] = strings.Join(g, " ")
			}
		}
	}
	return m
}

func groupsOf(t *testing.T, x *Index) map[string]string {
	t.Helper()
	var all [][]string
	for g, err := range x.Groups() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, slices.Clone(g))
	}
	return asMap(all)
}

// versions draws texts of which many are like another.
func versions(r *rand.Rand, n int) map[string]Fingerprint {
	texts := [][]string{words(r, 60)}
	pages := make(map[string]Fingerprint)
	for i := range n {
		text := words(r, 5+r.IntN(80))
		switch r.IntN(4) {
		case 0:
			text = texts[r.IntN(len(texts))]
		case 1:
			text = edited(r, texts[r.IntN(len(texts))], 0.05*r.Float64())
		}
		texts = append(texts, text)
		pages[fmt.Sprintf("http://h%d.test/%d", i%3, i)] = Of(strings.Join(text, " "))
	}
	return pages
}

// TestIndexAgainstTwin: groups are those that all comparisons give, in memory
// and over many files, before and after opening again.
func TestIndexAgainstTwin(t *testing.T) {
	t.Parallel()
	for _, opt := range []Options{{Distance: -1}, {Distance: 1}, {Distance: 3}, {Distance: 5}, {Distance: 20, Resemblance: 0.5}} {
		t.Run(fmt.Sprint(opt.Distance), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(opt.Distance+9), 1))
			pages := versions(r, 500)
			w := &twin{opt: opt}
			onDisk := opt
			onDisk.Memory = 16
			dir := t.TempDir()
			disk, err := Open(dir, onDisk)
			if err != nil {
				t.Fatal(err)
			}
			mem := New(opt)
			for i, url := range slices.Sorted(maps.Keys(pages)) {
				w.add(url, pages[url])
				a, err := mem.Add(url, pages[url])
				if err != nil {
					t.Fatal(err)
				}
				b, err := disk.Add(url, pages[url])
				if err != nil {
					t.Fatal(err)
				}
				if (a.Kind == Unique) != (b.Kind == Unique) || a.Group != b.Group {
					t.Fatalf("%s: in memory %+v, on disk %+v", url, a, b)
				}
				if i%200 == 150 {
					if err := disk.Close(); err != nil {
						t.Fatal(err)
					}
					if disk, err = Open(dir, onDisk); err != nil {
						t.Fatal(err)
					}
				}
			}
			want := w.groups()
			if got := groupsOf(t, mem); !maps.Equal(got, want) {
				t.Errorf("in memory %d pages in groups, want %d", len(got), len(want))
			}
			if got := groupsOf(t, disk); !maps.Equal(got, want) {
				t.Errorf("on disk %d pages in groups, want %d", len(got), len(want))
			}
			for url := range pages {
				m, ok, err := disk.Group(url)
				if err != nil || !ok || want[url] == "" && m.Kind != Unique && !strings.Contains(want[m.Group], url) {
					t.Fatalf("%s: %+v, %v, %v", url, m, ok, err)
				}
			}
			if err := disk.Close(); err != nil {
				t.Fatal(err)
			}
			reopenWider(t, dir, onDisk, want)
		})
	}
}

// reopenWider opens an index with another distance and back.
func reopenWider(t *testing.T, dir string, opt Options, want map[string]string) {
	other := opt
	other.Distance = 2
	for _, o := range []Options{other, opt} {
		x, err := Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := groupsOf(t, x); !maps.Equal(got, want) {
			t.Errorf("opened with distance %d: %d pages in groups, want %d", o.Distance, len(got), len(want))
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPageThatChanges(t *testing.T) {
	t.Parallel()
	x := New(Options{})
	one, two := Of(strings.Repeat("one text of some length ", 9)), Of(strings.Repeat("another text altogether here ", 9))
	for i, tt := range []struct {
		url  string
		f    Fingerprint
		kind Kind
	}{{"a", one, Unique}, {"b", one, Exact}, {"b", one, Exact}, {"b", two, Unique}, {"c", two, Exact}, {"a", two, Exact}, {"d", Fingerprint{}, Unique}, {"e", Fingerprint{}, Unique}} {
		m, err := x.Add(tt.url, tt.f)
		if err != nil || m.Kind != tt.kind {
			t.Errorf("%d: %s is %+v, %v, want %s", i, tt.url, m, err, tt.kind)
		}
	}
	got := groupsOf(t, x)
	if want := map[string]string{"a": "a b c", "b": "a b c", "c": "a b c"}; !maps.Equal(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
	if _, ok, err := x.Group("nobody"); ok || err != nil {
		t.Errorf("a URL that was not added: %v, %v", ok, err)
	}
}

// filled makes an index in a folder and returns what is in it.
func filled(t *testing.T, dir string, n int) map[string]Fingerprint {
	t.Helper()
	pages := versions(rand.New(rand.NewPCG(7, 7)), n)
	x, err := Open(dir, Options{Memory: 64})
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range slices.Sorted(maps.Keys(pages)) {
		if _, err := x.Add(url, pages[url]); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	return pages
}

// TestTornEnd cuts what was written last at every length: the pages before it
// are all there, and the index goes on.
func TestTornEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := Of(strings.Repeat("so many words in a row ", 9))
	for i := range 5 {
		if _, err := x.Add(fmt.Sprint("http://a.test/", i), text); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile(filepath.Join(dir, "pages-0"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrLocked) {
		t.Errorf("second opener: %v", err)
	}
	for n := len(pagesMagic); n < len(whole); n++ {
		torn := t.TempDir()
		if err := os.WriteFile(filepath.Join(torn, "pages-0"), whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		x, err := Open(torn, Options{})
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		for i := range 5 {
			if _, err := x.Add(fmt.Sprint("http://a.test/", i), text); err != nil {
				t.Fatal(err)
			}
		}
		if got := groupsOf(t, x); len(got) != 5 {
			t.Errorf("cut at %d: %v", n, got)
		}
		x.Close()
	}
	x.Close()
}

// TestDamage flips bytes of each file: the index says so, or has all pages.
func TestDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pages := filled(t, dir, 300)
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	steps, found := 12, 0
	if testing.Short() {
		steps = 3
	}
	for _, e := range names {
		good, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(good); at += 1 + len(good)/steps {
			bad := slices.Clone(good)
			bad[at] ^= 0x41
			copied := t.TempDir()
			if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(copied, e.Name()), bad, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := readAll(copied, pages); errors.Is(err, ErrCorrupt) {
				found++
			} else if err != nil {
				t.Errorf("%s, byte %d: %v", e.Name(), at, err)
			}
		}
	}
	if found < steps*5/3 {
		t.Errorf("damage found %d times", found)
	}
}

// readAll asks for every page, and for its like.
func readAll(dir string, pages map[string]Fingerprint) error {
	x, err := Open(dir, Options{Memory: 64})
	if err != nil {
		return err
	}
	defer x.Close()
	for url, f := range pages {
		m, ok, err := x.Group(url)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%s is gone", url)
		}
		if again, _, err := lookUp(x, url, f); err != nil {
			return err
		} else if again.Group != m.Group {
			return fmt.Errorf("%s is of %s and of %s", url, m.Group, again.Group)
		}
	}
	for _, err := range x.Groups() {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestMirrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x, err := Open(dir, Options{Distance: 3})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 5))
	texts := make([]Fingerprint, 40)
	for i := range texts {
		texts[i] = Of(strings.Join(words(r, 100), " "))
	}
	for i := range 40 {
		for _, add := range []struct {
			url string
			f   Fingerprint
		}{
			{"https://a.test/p", texts[i]},
			{"https://www.b.test/p", texts[i]},          // has all of a
			{"https://c.test/p", texts[(i/4*4+i%2)%40]}, // has half of a under the same path
			{"https://d.test/moved/p", texts[i]},        // has all, elsewhere
		} {
			if _, err := x.Add(fmt.Sprint(add.url, i), add.f); err != nil {
				t.Fatal(err)
			}
		}
		if i == 20 {
			x.Close()
			if x, err = Open(dir, Options{Distance: 3}); err != nil {
				t.Fatal(err)
			}
		}
	}
	defer x.Close()
	got := x.Mirrors()
	if len(got) != 1 || got[0].Host != "https://www.b.test" || got[0].Of != "https://a.test" || got[0].Agree != 40 || got[0].Differ != 0 {
		t.Errorf("mirrors %+v", got)
	}
	for url, want := range map[string]string{
		"https://a.test/p7":       "",
		"https://www.b.test/p7":   "dedup: exact duplicate of https://a.test/p7; its host is a mirror of https://a.test (40 pages agree, 0 do not)",
		"https://www.b.test/p99":  "dedup: its host is a mirror of https://a.test (40 pages agree, 0 do not)",
		"https://d.test/moved/p7": "dedup: exact duplicate of https://a.test/p7",
		"https://e.test/":         "",
	} {
		if why := x.Why(url); why != want {
			t.Errorf("%s: %q, want %q", url, why, want)
		}
	}
}

// TestWorkedExample holds the bytes of the comment in pages.go.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	var p pages
	if _, err := p.append(pageRecord{Fingerprint: Fingerprint{Exact: 1, Sim: 2, Words: 2}, url: "http://a.test/"}, false); err != nil {
		t.Fatal(err)
	}
	const want = "90eb13da" + "21" + "0100000000000000" + "0200000000000000" + "020000" + "687474703a2f2f612e746573742f"
	if got := fmt.Sprintf("%x", p.mem); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestTitles: pages under one title may differ in more words, others not, in memory and on disk.
func TestTitles(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	text := words(r, 300)
	copied, other := edited(r, text, 0.1), edited(r, text, 0.5)
	pages := []struct {
		url, title string
		text       []string
		like       string
	}{
		{"a", "Bees in winter - The keeper", text, "a"},
		{"b", "Bees in winter - The keeper", copied, "a"},
		{"d", "Bees in autumn - The keeper", edited(r, text, 0.1), "d"},
		{"e", "Bees in winter - The keeper", other, "e"},
		{"f", "Stings", text[:150], "f"},
		{"g", "Stings", edited(r, text[:150], 0.1), "g"}, // too short
		{"h", "News: wasps", append(words(r, 20), text[60:]...), "h"},
		{"i", "Wasps", append(words(r, 20), text[60:]...), "h"},
	}
	dir := t.TempDir()
	disk, err := Open(dir, Options{Memory: 2})
	if err != nil {
		t.Fatal(err)
	}
	for where, x := range map[string]*Index{"memory": New(Options{}), "disk": disk} {
		for _, p := range pages {
			m, err := x.Add(p.url, OfPage(p.title, strings.Join(p.text, " ")))
			if err != nil || m.Kind == Unique && p.like != p.url || m.Kind != Unique && m.Like != p.like {
				t.Errorf("%s: %s: %+v, %v, want it like %s", where, p.url, m, err, p.like)
			}
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	if disk, err = Open(dir, Options{}); err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	if m, _, err := disk.Group("b"); m.Group != "a" || err != nil {
		t.Errorf("opened again: %+v, %v", m, err)
	}
}

func FuzzPage(f *testing.F) {
	f.Add(appendPage(nil, pageRecord{Fingerprint: OfPage("a", "b c"), url: "http://a.test/"}, true))
	f.Add(appendPage(nil, pageRecord{Fingerprint: Of("a b"), url: "http://a.test/"}, false))
	f.Add(appendPage(nil, pageRecord{Fingerprint: Of("a b c"), leader: 8, url: "http://a.test/b"}, true))
	f.Add(appendPage(nil, pageRecord{Fingerprint: Of("a b c"), url: "http://a.test/b", former: true}, true))
	f.Add(appendPage(nil, pageRecord{url: "http://a.test/b", gone: true}, true))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := readPage(b)
		if err != nil {
			return
		}
		again, err := readPage(appendPage(nil, r, true))
		if err != nil || again != r {
			t.Errorf("%+v became %+v, %v", r, again, err)
		}
	})
}

func FuzzRun(f *testing.F) {
	dir := f.TempDir()
	x, err := Open(dir, Options{Distance: -1, Memory: 4})
	if err != nil {
		f.Fatal(err)
	}
	for i := range 4 {
		x.Add(fmt.Sprint(i), Of(fmt.Sprint(i)))
	}
	x.Close()
	run, err := os.ReadFile(filepath.Join(dir, "run-0-00000001"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(run)
	f.Add([]byte(runMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := openRun(memory(b), int64(len(b)), "run")
		if err != nil {
			return
		}
		for i := range r.tables {
			r.scan(i, 0, ^uint64(0), func(pair) bool { return true })
		}
	})
}
