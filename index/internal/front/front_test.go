package front_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/webquarry/quarry/index/internal/front"
	"github.com/webquarry/quarry/index/internal/pagefile"
)

// table writes strings with their places as values, and opens them.
func table(t testing.TB, strings []string) (*front.Table, error) {
	t.Helper()
	var blocks bytes.Buffer
	w := front.NewWriter(&blocks)
	for i, s := range strings {
		w.Add([]byte(s))
		w.Value(uint64(i))
	}
	index, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return open(t, blocks.Bytes(), index)
}

func open(t testing.TB, blocks, index []byte) (*front.Table, error) {
	t.Helper()
	var out bytes.Buffer
	f := pagefile.NewWriter(&out, 1)
	f.Begin(1, 0)
	f.Write(blocks)
	f.Begin(2, 0)
	f.Write(index)
	if err := f.Finish(); err != nil {
		t.Fatal(err)
	}
	file, err := pagefile.Open(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	b, _ := file.Section(1, 0)
	i, _ := file.Section(2, 0)
	return front.Open(b, i)
}

func TestExample(t *testing.T) {
	t.Parallel()
	var blocks bytes.Buffer
	w := front.NewWriter(&blocks)
	w.Add([]byte("car"))
	w.Add([]byte("card"))
	index, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(blocks.Bytes()); got != "07"+"03636172"+"030164" {
		t.Errorf("block %s", got)
	}
	if got := hex.EncodeToString(index); got != "0200000001000000"+"0000000000000000"+"00000000" {
		t.Errorf("index %s", got)
	}
}

func TestAgainstSortedSlice(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		known := map[string]bool{}
		for range rnd.IntN(200) {
			known[random(rnd)] = true
		}
		var all []string
		for s := range known {
			all = append(all, s)
		}
		slices.Sort(all)
		tab, err := table(t, all)
		if err != nil || tab.Len() != len(all) {
			t.Fatalf("%d strings: %v, Len %d", len(all), err, tab.Len())
		}
		for i, s := range all {
			if got, err := tab.At(i); string(got) != s || err != nil {
				t.Fatalf("At(%d) = %q, %v, want %q", i, got, err, s)
			}
		}
		for range 50 {
			s := random(rnd)
			place, ok, err := tab.Find([]byte(s))
			want := sort.SearchStrings(all, s)
			if err != nil || ok != known[s] || ok && place != want {
				t.Fatalf("Find(%q) = %d, %v, %v; want %d", s, place, ok, err, want)
			}
			it := tab.Iter()
			for ok := it.Seek([]byte(s)); ok; ok = it.Next() {
				_, _, values := it.Values()
				if want >= len(all) || string(it.Text()) != all[want] || it.Place() != want || len(values.B) == 0 {
					t.Fatalf("from %q: %q at %d, want %d", s, it.Text(), it.Place(), want)
				}
				want++
			}
			if want != len(all) || it.Err() != nil {
				t.Fatalf("from %q: ended at %d of %d, %v", s, want, len(all), it.Err())
			}
		}
	}
}

// An iterator seeks from wherever it is, on and back, near and far.
func TestSeekOn(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 9))
	for range 200 {
		known := map[string]bool{}
		for range rnd.IntN(400) {
			known[random(rnd)+random(rnd)] = true
		}
		all := slices.Sorted(maps.Keys(known))
		tab, err := table(t, all)
		if err != nil {
			t.Fatal(err)
		}
		it, at := tab.Iter(), -1
		for range 100 {
			if n := rnd.IntN(4); n == 0 {
				at = min(at+1, len(all))
				if ok := it.Next(); ok != (at < len(all)) {
					t.Fatalf("Next to %d of %d: %v", at, len(all), ok)
				}
			} else if n == 1 && len(all) > 0 {
				if at = rnd.IntN(len(all)); !it.Go(at) {
					t.Fatalf("Go to %d of %d: %v", at, len(all), it.Err())
				}
			} else {
				s := random(rnd) + random(rnd)
				if at >= 0 && at < len(all) && rnd.IntN(2) == 0 { // near
					s = all[at] + random(rnd)
				}
				at = sort.SearchStrings(all, s)
				if ok := it.Seek([]byte(s)); ok != (at < len(all)) {
					t.Fatalf("Seek(%q) to %d of %d: %v", s, at, len(all), ok)
				}
			}
			if at < len(all) && (string(it.Text()) != all[at] || it.Place() != at) {
				t.Fatalf("at %q, place %d, not %q, %d", it.Text(), it.Place(), all[at], at)
			}
		}
	}
}

// A Seek beyond the end leaves nothing behind that one back would go wrong by.
func TestSeekBack(t *testing.T) {
	t.Parallel()
	tab, err := table(t, []string{"a", "bcd", "bce"})
	if err != nil {
		t.Fatal(err)
	}
	it := tab.Iter()
	if it.Seek([]byte("c")) || it.Next() {
		t.Errorf("%q is behind the end", it.Text())
	}
	if !it.Seek([]byte("bce")) || string(it.Text()) != "bce" || it.Place() != 2 {
		t.Errorf("back at %q", it.Text())
	}
}

func random(rnd *rand.Rand) string {
	b := make([]byte, rnd.IntN(5))
	for i := range b {
		b[i] = "ab\x00\xff"[rnd.IntN(4)]
	}
	return string(b)
}

func FuzzTable(f *testing.F) {
	var blocks bytes.Buffer
	w := front.NewWriter(&blocks)
	for i := range 40 {
		w.Add(fmt.Appendf(nil, "term%03d", i))
	}
	index, _ := w.Finish()
	f.Add(blocks.Bytes(), index, []byte("term017"))
	f.Fuzz(func(t *testing.T, blocks, index, s []byte) {
		tab, err := open(t, blocks, index)
		if err != nil {
			return
		}
		tab.Find(s)
		if tab.Len() > 0 {
			tab.At(tab.Len() - 1)
		}
		it := tab.Iter()
		for ok := it.Seek(s); ok; ok = it.Next() {
			it.Text()
		}
		it = tab.Iter()
		for place := range tab.Len() {
			it.Go(tab.Len() - 1 - place)
		}
		it = tab.Iter()
		for range 8 {
			if !it.Next() || !it.Seek(append(bytes.Clone(it.Text()), s...)) {
				break
			}
		}
	})
}

// Several tables walked as one give each string of theirs in order, but for
// those that are not wanted.
func TestMerge(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		walks := make([]*front.Iter, 1+rnd.IntN(5))
		odd := func(i int) bool { return walks[i].Place()%2 == 1 }
		where := map[string][]int{} // by string, the tables
		for i := range walks {
			var all []string
			for n := range 60 {
				if rnd.IntN(3) == 0 {
					all = append(all, fmt.Sprintf("%02d", n))
				}
			}
			if len(all) == 0 {
				continue
			}
			for place, s := range all {
				if place%2 == 1 {
					where[s] = append(where[s], i)
				}
			}
			tab, err := table(t, all)
			if err != nil {
				t.Fatal(err)
			}
			walks[i] = tab.Iter()
		}
		var got []string
		found := map[string][]int{}
		_, err := front.Merge(walks, odd, func(i int, first bool) {
			s := string(walks[i].Text())
			if first {
				got = append(got, s)
			}
			found[s] = append(found[s], i)
		})
		if err != nil || !slices.IsSorted(got) || len(got) != len(where) || !maps.EqualFunc(found, where, slices.Equal) {
			t.Fatalf("%v, %v; want %v; %v", got, found, where, err)
		}
	}
}
