package focus

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/frontier"
)

// arrive lets a Focus read a page as a crawl would, and returns it.
func arrive(t testing.TB, f *Focus, url, html string) *crawler.Page {
	t.Helper()
	resp := &crawler.Response{Request: frontier.Request{URL: url}, URL: url, Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(html)}
	page, err := f.Parser(nil).Parse(context.Background(), resp)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

const (
	bees  = "<title>Bees</title><p>The bee brings honey to the hive, and the bees of the hive keep the honey of every bee.</p>"
	boats = "<title>Boats</title><p>The ferry leaves the harbour when the captain says so, and the anchor stays in the harbour.</p>"
)

func bee() Options { return Options{Topic: Words("bee honey hive")} }

// TestFollow: what makes a link promise more than another, all else being equal.
func TestFollow(t *testing.T) {
	t.Parallel()
	f := New(bee())
	good := arrive(t, f, "http://a.test/good", bees)
	bad := arrive(t, f, "http://a.test/bad", boats)
	promise := func(from *crawler.Page, url, text string, context ...string) float64 {
		p, ok := f.Follow(from, crawler.Link{URL: url, Text: text, Context: strings.Join(context, " ")})
		if !ok || p <= 0 || p >= 1 {
			t.Errorf("%s from %s: %v, %v", url, from.URL, p, ok)
		}
		return p
	}
	for name, pair := range map[string][2]float64{
		"anchor":  {promise(good, "http://a.test/1", "the honey"), promise(good, "http://a.test/2", "the anchor")},
		"context": {promise(bad, "http://a.test/8", "more", "all that bees do: more"), promise(bad, "http://a.test/9", "more", "all that ships do: more")},
		"source":  {promise(good, "http://a.test/3", "next"), promise(bad, "http://a.test/4", "next")},
		"address": {promise(good, "http://a.test/honeyBee/5", "next"), promise(good, "http://a.test/harborMap/5", "next")},
		"several": {promise(bad, "http://a.test/6", "honey of the bee"), promise(bad, "http://a.test/7", "honey of the boat")},
		"digits":  {promise(good, "http://a.test/story", "next"), promise(good, "http://a.test/83571", "next")},
		"shallow": {promise(good, "http://a.test/tale", "next"), promise(good, "http://a.test/t/a/l/e", "next")},
	} {
		if pair[0] <= pair[1] {
			t.Errorf("%s: %.3f is not better than %.3f", name, pair[0], pair[1])
		}
	}
}

// TestTunnel: behind a page off topic that a good one led to, there is more hope
// than elsewhere, and less at each step; after MaxOff steps none.
func TestTunnel(t *testing.T) {
	t.Parallel()
	opt := bee()
	opt.MaxOff = 3
	f := New(opt)
	page := arrive(t, f, "http://a.test/0", bees)
	stray := arrive(t, f, "http://a.test/stray", boats)
	var potentials []string
	for i := 1; ; i++ {
		url := fmt.Sprintf("http://a.test/%d", i)
		behind, ok := f.Follow(page, crawler.Link{URL: url})
		if !ok {
			if i != 4 {
				t.Errorf("no further than %d", i)
			}
			break
		}
		elsewhere, _ := f.Follow(stray, crawler.Link{URL: url + "x"})
		if behind <= elsewhere {
			t.Errorf("step %d: %.3f is not better than %.3f", i, behind, elsewhere)
		}
		page = arrive(t, f, url, boats)
		s, ok := ScoreOf(page)
		if !ok || s.OnTopic() || s.Off != i || s.Promise == 0 {
			t.Errorf("step %d: %+v", i, s)
		}
		potentials = append(potentials, fmt.Sprintf("%.3f", s.Potential))
	}
	if got := strings.Join(potentials, " "); got != "0.500 0.250 0.125" {
		t.Errorf("potentials %s", got)
	}
}

// TestLearning: links that say "swarm" turn out to be good, though the topic
// does not know the word; their features and words gain, and links that wait
// are told of.
func TestLearning(t *testing.T) {
	t.Parallel()
	told := &teller{}
	opt := bee()
	opt.Frontier = told
	f := New(opt)
	hub := arrive(t, f, "http://a.test/", boats)
	follow := func(url, text string) float64 {
		p, _ := f.Follow(hub, crawler.Link{URL: url, Text: text})
		return p
	}
	first := follow("http://a.test/waits", "swarm")
	for i := range 60 {
		kind, text := bees, "swarm"
		if i%2 == 1 {
			kind, text = boats, "ferry"
		}
		url := fmt.Sprintf("http://a.test/%s%d", strings.Repeat("x", i%7), i)
		follow(url, text)
		arrive(t, f, url, kind)
	}
	if later := follow("http://a.test/new-swarm", "swarm"); later < first+0.2 {
		t.Errorf("swarm promises %.3f, at first %.3f", later, first)
	}
	if a, b := follow("http://a.test/n1", "swarm"), follow("http://a.test/n2", "ferry"); a < 2*b {
		t.Errorf("swarm promises %.3f, ferry %.3f", a, b)
	}
	if p := told.last["http://a.test/waits"]; p < first+0.1 {
		t.Errorf("the link that waits was given %.3f, at first %.3f", p, first)
	}

	var file bytes.Buffer
	if err := f.Save(&file); err != nil {
		t.Fatal(err)
	}
	g := New(bee())
	if err := g.Load(&file); err != nil {
		t.Fatal(err)
	}
	a, _ := f.Follow(hub, crawler.Link{URL: "http://a.test/n3", Text: "swarm"})
	b, _ := g.Follow(arrive(t, g, "http://a.test/", boats), crawler.Link{URL: "http://a.test/n3", Text: "swarm"})
	if math.Abs(a-b) > 0.05 { // the rank of a page is not kept
		t.Errorf("%.3f before, %.3f after Save and Load", a, b)
	}
}

// teller notes what a Frontier is told.
type teller struct {
	frontier.Frontier
	last map[string]float64
}

func (r *teller) Rescore(_ context.Context, reqs ...frontier.Request) (int, error) {
	if r.last == nil {
		r.last = map[string]float64{}
	}
	for _, q := range reqs {
		r.last[q.URL] = q.Priority
	}
	return len(reqs), nil
}

// TestBetterLink: a second page that speaks for a link is told of at once.
func TestBetterLink(t *testing.T) {
	t.Parallel()
	told := &teller{}
	opt := bee()
	opt.Frontier, opt.Fixed = told, true
	f := New(opt)
	link := crawler.Link{URL: "http://a.test/x", Text: "more"}
	low, _ := f.Follow(arrive(t, f, "http://a.test/1", boats), link)
	good := arrive(t, f, "http://a.test/2", bees)
	high, _ := f.Follow(good, link)
	again, _ := f.Follow(arrive(t, f, "http://a.test/3", boats), link)
	if high <= low || again != high {
		t.Errorf("%.3f, then %.3f and %.3f", low, high, again)
	}
	if got := told.last[link.URL]; got != high {
		t.Errorf("told %.3f, want %.3f", got, high)
	}
	arrive(t, f, link.URL, bees)
	told.last = nil
	f.Follow(good, link) // visited already
	arrive(t, f, "http://a.test/4", bees)
	if len(told.last) > 0 {
		t.Errorf("told of %v, which is visited", told.last)
	}
}

func TestNoise(t *testing.T) {
	t.Parallel()
	opt := bee()
	f := New(opt)
	opt.Noise, opt.Seed = 0.25, 3
	g, h := New(opt), New(opt)
	opt.Seed = 4
	other := New(opt)
	var sum, differ float64
	for i := range 200 {
		link := crawler.Link{URL: fmt.Sprintf("http://a.test/%c%c", 'a'+i%26, 'a'+i/26)}
		from := &crawler.Page{URL: "http://a.test/"}
		p, _ := f.Follow(from, link)
		q, _ := g.Follow(from, link)
		r, _ := h.Follow(from, link)
		s, _ := other.Follow(from, link)
		if q != r {
			t.Fatalf("%v and %v with the same seed", q, r)
		}
		if u := (q - 0.75*p) / 0.25; u < 0 || u > 1 {
			t.Fatalf("random part %v", u)
		} else {
			sum += u
		}
		if q != s {
			differ++
		}
	}
	if mean := sum / 200; mean < 0.4 || mean > 0.6 || differ < 190 {
		t.Errorf("random part %v on average, %v of 200 differ with another seed", mean, differ)
	}
}

func TestScopeAndForeignPages(t *testing.T) {
	t.Parallel()
	opt := bee()
	opt.Scope = crawler.SameSite("http://a.test/")
	f := New(opt)
	if _, ok := f.Follow(arrive(t, f, "http://a.test/", bees), crawler.Link{URL: "http://b.test/", Text: "bee"}); ok {
		t.Error("left the scope")
	}
	// Pages that it has not read, as after a redirect, are not remembered.
	if _, ok := f.Follow(&crawler.Page{URL: "http://a.test/r"}, crawler.Link{URL: "http://a.test/x"}); !ok || len(f.queue.leads) != 0 {
		t.Errorf("a link of an unread page: %v, %d remembered", ok, len(f.queue.leads))
	}
	if _, ok := ScoreOf(nil); ok {
		t.Error("a score of nothing")
	}
	resp := &crawler.Response{Request: frontier.Request{URL: "http://a.test/p"}, URL: "http://a.test/p", Header: http.Header{"Content-Type": {"application/zip"}}, Body: []byte("PK")}
	if _, err := f.Parser(nil).Parse(t.Context(), resp); err == nil {
		t.Error("read a zip file")
	}
}

// TestBounded: the less promising half is forgotten when there are too many.
func TestBounded(t *testing.T) {
	t.Parallel()
	w := newWaiting()
	for i := range maxWaiting + 10 {
		w.add(fmt.Sprint(i), lead{promise: float64(i%1000) / 1000})
	}
	if n := len(w.leads); n != maxWaiting/2+10 {
		t.Errorf("%d are remembered", n)
	}
	for u, l := range w.leads {
		if l.promise < 0.49 && len(u) < 6 {
			t.Fatalf("%s with %v is remembered", u, l.promise)
		}
	}
}

func TestManyGoroutines(t *testing.T) {
	t.Parallel()
	opt := bee()
	opt.Frontier = frontier.New(frontier.Options{})
	f := New(opt)
	done := make(chan bool)
	for g := range 4 {
		go func() {
			defer func() { done <- true }()
			for i := range 50 {
				page := arrive(t, f, fmt.Sprintf("http://a.test/%d/%d", g, i), bees+`<a href=/x>honey</a>`)
				for _, l := range page.Links {
					f.Follow(page, l)
				}
			}
		}()
	}
	for range 4 {
		<-done
	}
}
