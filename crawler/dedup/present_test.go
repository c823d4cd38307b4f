package dedup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler"
)

// present is what an Index should know: the texts that pages have now, and the groups that
// they made when they came.
type present struct {
	opt   Options
	texts map[string]Fingerprint
	group map[string]int
	next  int
}

func newPresent(opt Options) *present {
	return &present{opt: opt, texts: map[string]Fingerprint{}, group: map[string]int{}}
}

func (p *present) alike(f, g Fingerprint) bool {
	return f.Words > 0 && (f.Same(g) || f.Near(g, p.opt.Distance) && f.Sketch.Resemblance(g.Sketch) >= p.opt.Resemblance)
}

// add puts a page into the group of all pages that are like it now.
func (p *present) add(url string, f Fingerprint) {
	if old, ok := p.texts[url]; ok && old.Same(f) {
		return
	}
	p.next++
	p.texts[url], p.group[url] = f, p.next
	for other, g := range p.texts {
		if other != url && p.alike(f, g) {
			of := p.group[other]
			for k, g := range p.group {
				if g == of {
					p.group[k] = p.next
				}
			}
		}
	}
}

func (p *present) remove(url string) {
	delete(p.texts, url)
	delete(p.group, url)
}

func (p *present) groups() map[string]string {
	by := make(map[int][]string)
	for url, g := range p.group {
		by[g] = append(by[g], url)
	}
	return asMap(slices.Collect(maps.Values(by)))
}

// check holds what the Index says of a page to what there is.
func (p *present) check(url string, m Match) error {
	f := p.texts[url]
	if m.Kind == Unique {
		if m.Group != url || m.Like != "" || m.Distance != 0 {
			return fmt.Errorf("%s: %+v", url, m)
		}
		return nil
	}
	like, ok := p.texts[m.Like]
	if lead, there := p.group[m.Group]; !there || lead != p.group[url] || m.Group == url || !ok || p.group[m.Like] != lead {
		return fmt.Errorf("%s is said to be of %+v, of a group that is not its own", url, m)
	}
	if (m.Kind == Exact) != f.Same(like) || m.Distance != f.Distance(like) {
		return fmt.Errorf("%s has words of its own: %+v", url, m)
	}
	return nil
}

// names returns the name of each page's group, which is one of its pages.
func (p *present) names(x *Index) (map[string]string, error) {
	names, of := make(map[string]string), make(map[int]string)
	for url, g := range p.group {
		m, ok, err := x.Group(url)
		if err != nil || !ok {
			return nil, fmt.Errorf("%s: %v, %v", url, ok, err)
		}
		if err := p.check(url, m); err != nil {
			return nil, err
		}
		if before, ok := of[g]; ok && before != m.Group {
			return nil, fmt.Errorf("a group is named %s and %s", before, m.Group)
		}
		names[url], of[g] = m.Group, m.Group
	}
	return names, nil
}

// TestPresent: over random changes, with pages that go, come back, are edited and become
// copies, groups are those of the texts that pages have now, and each is named after a page
// of it, which it stays as long as that page is of it. QUARRY_DEDUP_SEEDS is how many
// changing webs to try for each kind of Index, a second each.
func TestPresent(t *testing.T) {
	t.Parallel()
	seeds := 5
	if testing.Short() {
		seeds = 1
	}
	if n, err := strconv.Atoi(os.Getenv("QUARRY_DEDUP_SEEDS")); err == nil {
		seeds = n
	}
	for _, opt := range []Options{{Distance: -1}, {Distance: 3}, {Distance: 7}, {Distance: 20, Resemblance: 0.5}} {
		for _, memory := range []int{0, 4, 64} {
			t.Run(fmt.Sprint(opt.Distance, " ", memory), func(t *testing.T) {
				t.Parallel()
				opt := opt
				opt.Memory = memory
				for seed := range seeds {
					if err := livesThrough(t.TempDir(), opt, rand.New(rand.NewPCG(uint64(seed), 11))); err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
				}
			})
		}
	}
}

func livesThrough(dir string, opt Options, r *rand.Rand) error {
	p := newPresent(opt)
	x := New(opt)
	open := func() (err error) {
		x, err = Open(dir, opt)
		return err
	}
	if opt.Memory > 0 {
		if err := open(); err != nil {
			return err
		}
	}
	texts := [][]string{words(r, 40), words(r, 60), words(r, 4)}
	urls := make([]string, 3+r.IntN(12))
	for i := range urls {
		urls[i] = fmt.Sprintf("http://h%d.test/%d", i%2, i)
	}
	var names map[string]string
	for range 150 {
		url, merges := urls[r.IntN(len(urls))], false
		switch op := r.IntN(20); {
		case op < 4:
			p.remove(url)
			if err := x.Remove(url); err != nil {
				return err
			}
			if _, ok, err := x.Group(url); ok || err != nil {
				return fmt.Errorf("%s is known although it is gone: %v", url, err)
			}
		case op == 4:
			if err := x.Compact(); err != nil {
				return err
			}
		case op == 5 && opt.Memory > 0:
			if err := errors.Join(x.Close(), open()); err != nil {
				return err
			}
		default:
			text := texts[r.IntN(len(texts))]
			switch r.IntN(6) {
			case 0:
				text = words(r, r.IntN(60))
			case 1, 2:
				text = edited(r, text, 0.03)
			}
			texts = append(texts, text)
			f := Of(strings.Join(text, " "))
			p.add(url, f)
			m, err := x.Add(url, f)
			if err != nil {
				return err
			}
			if err := p.check(url, m); err != nil {
				return fmt.Errorf("added: %w", err)
			}
			merges = true
			if again, err := x.Add(url, f); err != nil || again.Group != m.Group || again.Kind == Unique != (m.Kind == Unique) {
				return fmt.Errorf("%s: %+v, and then %+v, %v", url, m, again, err)
			}
		}
		if r.IntN(3) > 0 {
			names = nil
			continue
		}
		now, err := p.names(x)
		if err != nil {
			return err
		}
		for other, name := range names {
			if other != url && name == other && !merges && now[other] != other {
				return fmt.Errorf("the group of %s has the name of %s", other, now[other])
			}
		}
		names = now
		var all [][]string
		for g, err := range x.Groups() {
			if err != nil {
				return err
			}
			if now[g[1]] != g[0] {
				return fmt.Errorf("%v is led by %s", g, now[g[1]])
			}
			all = append(all, slices.Clone(g))
		}
		if got, want := asMap(all), p.groups(); !maps.Equal(got, want) {
			return fmt.Errorf("groups %v, want %v", got, want)
		}
	}
	return x.Close()
}

// TestTextOfThePast: what hundreds of pages said once is not found, and what pages say now
// is, however many said the same before.
func TestTextOfThePast(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	down := Of(strings.Join(words(r, 80), " "))
	disk, err := Open(t.TempDir(), Options{Memory: 5000})
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	for _, x := range []*Index{New(Options{}), disk} {
		add := func(url string, f Fingerprint, want Kind) {
			t.Helper()
			if m, err := x.Add(url, f); err != nil || m.Kind != want {
				t.Fatalf("%s: %+v, %v, want it %s", url, m, err, want)
			}
		}
		own := make([]Fingerprint, 1000)
		for i := range own {
			own[i] = Of(strings.Join(words(r, 80), " "))
		}
		for round := range 3 {
			for i := range own {
				kind := Exact
				if i == 0 {
					kind = Unique
				}
				add(fmt.Sprint("http://a.test/", i), down, kind)
			}
			for i, f := range own {
				add(fmt.Sprint("http://a.test/", i), f, Unique)
			}
			last := fmt.Sprint("http://a.test/last", round)
			add(last, down, Unique)
			if err := x.Remove(last); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestSinkForgets: a copy of a page becomes the page when that is gone, has moved or says
// something else, whether other Sinks are told or not.
func TestSinkForgets(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("one text of some length ", 20)
	for name, then := range map[string]*crawler.Result{
		"gone":    {Kind: crawler.Gone, URL: "http://a.test/1"},
		"moved":   {Kind: crawler.Moved, URL: "http://a.test/1"},
		"changed": {Kind: crawler.Changed, URL: "http://a.test/1", Page: &crawler.Page{URL: "http://a.test/1", Text: "other words"}},
	} {
		for _, into := range []bool{false, true} {
			var got Match
			s := &Sink{Index: New(Options{}), Next: func(_ context.Context, _ *crawler.Page, m Match) error { got = m; return nil }}
			if into {
				s = &Sink{Index: New(Options{}), Into: crawler.SinkFunc(func(_ context.Context, r *crawler.Result) error {
					if r.Page != nil {
						got, _ = MatchOf(r.Page)
					}
					return nil
				})}
			}
			put := func(r *crawler.Result) {
				t.Helper()
				if err := s.Put(t.Context(), r); err != nil {
					t.Fatal(err)
				}
			}
			put(fresh(&crawler.Page{URL: "http://a.test/1", Text: text}))
			put(fresh(&crawler.Page{URL: "http://a.test/2", Text: text}))
			if got.Kind != Exact || got.Group != "http://a.test/1" {
				t.Errorf("%s: before: %+v", name, got)
			}
			put(then)
			put(fresh(&crawler.Page{URL: "http://a.test/2", Text: text}))
			if got.Kind != Unique || got.Group != "http://a.test/2" {
				t.Errorf("%s: after: %+v", name, got)
			}
		}
	}
}
