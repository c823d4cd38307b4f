package postings_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/webquarry/quarry/index/internal/front"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/postings"
)

type posting struct {
	doc uint32
	at  []uint32
}

// field is a field written and opened.
type field struct {
	dict postings.Dict
	read postings.Reader
}

const (
	lists = iota
	positions
	blocks
	index
)

func build(t testing.TB, docs uint32, lengths []uint32, terms []string, post [][]posting) field {
	t.Helper()
	var parts [3]bytes.Buffer
	w := postings.NewWriter(&parts[lists], &parts[positions], lengths)
	d := postings.NewDictWriter(&parts[blocks], true)
	for i, term := range terms {
		for _, p := range post[i] {
			w.Add(p.doc, uint32(len(p.at)), p.at)
		}
		e, err := w.Finish()
		if err != nil {
			t.Fatal(err)
		}
		d.Add([]byte(term), e)
	}
	ix, err := d.Finish()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	f := pagefile.NewWriter(&out, 1)
	for i := range parts {
		f.Begin(uint16(i), 0)
		f.Write(parts[i].Bytes())
	}
	f.Begin(index, 0)
	f.Write(ix)
	if err := f.Finish(); err != nil {
		t.Fatal(err)
	}
	return open(t, out.Bytes(), docs)
}

func open(t testing.TB, data []byte, docs uint32) field {
	t.Helper()
	f, err := pagefile.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	var s [4]pagefile.Section
	for i := range s {
		s[i], _ = f.Section(uint16(i), 0)
	}
	table, err := front.Open(s[blocks], s[index])
	if err != nil {
		t.Fatal(err)
	}
	return field{
		postings.Dict{Table: table, Positions: true},
		postings.Reader{Lists: s[lists], Positions: s[positions], Docs: docs},
	}
}

func TestExample(t *testing.T) {
	t.Parallel()
	var list, pos bytes.Buffer
	w := postings.NewWriter(&list, &pos, make([]uint32, 10))
	w.Add(3, 1, []uint32{7})
	w.Add(5, 2, []uint32{0, 2})
	w.Add(9, 1, []uint32{300})
	e, err := w.Finish()
	if err != nil || e != (postings.Entry{Docs: 3, Size: 4, PosSize: 5}) {
		t.Fatalf("%+v, %v", e, err)
	}
	if got := hex.EncodeToString(list.Bytes()); got != "06030006" {
		t.Errorf("list %s", got)
	}
	if got := hex.EncodeToString(pos.Bytes()); got != "070002ac02" {
		t.Errorf("positions %s", got)
	}
}

func randomList(rnd *rand.Rand, docs uint32, n int) []posting {
	ids := rnd.Perm(int(docs))[:n]
	slices.Sort(ids)
	var out []posting
	for _, id := range ids {
		p := posting{doc: uint32(id)}
		tf, pos := 1, uint32(rnd.IntN(50))
		for rnd.IntN(3) == 0 && tf < 400 {
			tf *= 1 + rnd.IntN(4)
		}
		for range tf {
			p.at = append(p.at, pos)
			pos += uint32(rnd.IntN(30)) * uint32(1+rnd.IntN(2)*rnd.IntN(100))
		}
		out = append(out, p)
	}
	return out
}

// Walks with any mixture of steps see what a plain slice holds.
func TestCursorAgainstSlice(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	const docs = 20_000
	sizes := []int{1, 2, 3, 17, 127, 128, 129, 255, 256, 1000, 4095, 4096, 4097, 4224, 4500, 9000, 20_000}
	lengths := make([]uint32, docs)
	for i := range lengths {
		lengths[i] = rnd.Uint32() >> rnd.IntN(32)
	}
	var terms []string
	var post [][]posting
	for i := range 400 {
		n := 1 + rnd.IntN(40)
		if i < len(sizes) {
			n = sizes[i]
		}
		terms = append(terms, fmt.Sprintf("t%04d", i))
		post = append(post, randomList(rnd, docs, n))
	}
	f := build(t, docs, lengths, terms, post)
	rounds := 6
	if testing.Short() {
		rounds = 1
	}
	for i, term := range terms {
		e, ok, err := f.dict.Find(term)
		if !ok || err != nil {
			t.Fatalf("%s: %v, %v", term, ok, err)
		}
		for range rounds {
			walk(t, rnd, f.read.Open(e), post[i], 1+rnd.IntN(2000))
		}
		if err := f.read.Verify(e, func(doc uint32) uint32 { return lengths[doc] }); err != nil {
			t.Errorf("%s: %v", term, err)
		}
	}
	if _, ok, err := f.dict.Find("t0000x"); ok || err != nil {
		t.Errorf("found a term that is not there: %v", err)
	}
}

func walk(t *testing.T, rnd *rand.Rand, c *postings.Cursor, want []posting, stride int) {
	t.Helper()
	i, doc := -1, uint32(0)
	for doc != postings.End {
		if rnd.IntN(2) == 0 {
			doc = c.Next()
			i++
		} else {
			target := uint32(rnd.IntN(stride))
			if i >= 0 && rnd.IntN(4) > 0 {
				target += want[i].doc
			}
			doc = c.Advance(target)
			i = max(i, 0)
			for i < len(want) && want[i].doc < target {
				i++
			}
		}
		if i >= len(want) {
			break
		}
		if doc != want[i].doc || c.Doc() != doc {
			t.Fatalf("document %d, want %d", doc, want[i].doc)
		}
		if rnd.IntN(3) == 0 && c.TF() != uint32(len(want[i].at)) {
			t.Fatalf("tf %d, want %d", c.TF(), len(want[i].at))
		}
		for range rnd.IntN(3) {
			if got := c.Positions(nil); !slices.Equal(got, want[i].at) {
				t.Fatalf("positions %v, want %v", got, want[i].at)
			}
		}
	}
	if doc != postings.End || c.Err() != nil || c.Next() != postings.End || c.Advance(7) != postings.End {
		t.Fatalf("at the end: %d, %v", doc, c.Err())
	}
}

// Offsets are of 64 bits, wherever they are kept.
func TestOffsetsBeyondFourGiB(t *testing.T) {
	t.Parallel()
	var terms bytes.Buffer
	d := postings.NewDictWriter(&terms, true)
	var want []postings.Entry
	off, pos := uint64(5<<32), uint64(7<<40)
	for i := range uint64(40) {
		e := postings.Entry{Docs: 2 + uint32(i), Off: off, Size: 1<<33 + i, PosOff: pos, PosSize: 3<<32 + i}
		off, pos = off+e.Size, pos+e.PosSize
		want = append(want, e)
		d.Add(fmt.Appendf(nil, "t%04d", i), e)
	}
	ix, err := d.Finish()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	f := pagefile.NewWriter(&out, 1)
	for kind, b := range map[uint16][]byte{blocks: terms.Bytes(), index: ix} {
		f.Begin(kind, 0)
		f.Write(b)
	}
	f.Finish()
	dict := open(t, out.Bytes(), 10).dict
	for i, e := range want {
		got, ok, err := dict.Find(fmt.Sprintf("t%04d", i))
		if !ok || err != nil || got != e {
			t.Errorf("term %d: %+v, %v, want %+v", i, got, err, e)
		}
	}
}
