package fuzzy

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func written(t testing.TB, g *QGrams) []byte {
	t.Helper()
	var b bytes.Buffer
	if n, err := g.WriteTo(&b); err != nil || n != int64(b.Len()) && b.Len() != 0 {
		t.Fatal(n, err)
	}
	return b.Bytes()
}

// What is read is what was written.
func TestMap(t *testing.T) {
	t.Parallel()
	for round := range uint64(30) {
		r := rand.New(rand.NewPCG(round, 11))
		alphabet := alphabets[r.IntN(len(alphabets))]
		g := New(maps.All(randomWords(r, alphabet, r.IntN(100), 8)))
		data := written(t, g)
		for _, shift := range []int{0, 1} { // not where numbers may lie, too
			at := append(make([]byte, shift), data...)[shift:]
			mapped, err := Map(at)
			if err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(maps.Collect(mapped.All()), maps.Collect(g.All())) || mapped.Len() != g.Len() || mapped.total != g.total {
				t.Fatal("other words are read than written")
			}
			for range 20 {
				word, dist := randomWord(r, alphabet, 8), r.IntN(4)
				if got, want := mapped.Match(word, dist, -1), g.Match(word, dist, -1); !slices.Equal(got, want) {
					t.Fatalf("Match(%q, %d) = %v, want %v", word, dist, got, want)
				}
				if got, want := mapped.Complete(word, dist, 5), g.Complete(word, dist, 5); !slices.Equal(got, want) {
					t.Fatalf("Complete(%q, %d) = %v, want %v", word, dist, got, want)
				}
			}
		}
	}
}

// A file that was changed anywhere or cut anywhere is told from a whole one, and one that
// pretends to be whole does no harm.
func TestMapRefuses(t *testing.T) {
	t.Parallel()
	data := written(t, New(seq("receive", "recipe", "naïve", "字典")))
	refuse := func(data []byte) {
		t.Helper()
		if _, err := Map(data); err == nil {
			t.Fatal("is read")
		} else if _, ok := errors.AsType[*CorruptError](err); !ok {
			t.Fatalf("%v", err)
		}
	}
	for i := range data {
		changed := bytes.Clone(data)
		changed[i] ^= 1 << (i % 8)
		refuse(changed)
		refuse(data[:i])
	}
	refuse(nil)
	r := rand.New(rand.NewPCG(12, 12))
	for range 5000 {
		changed := bytes.Clone(data)
		for range 1 + r.IntN(3) {
			changed[16+r.IntN(len(changed)-16)] = byte(r.Uint32())
		}
		binary.LittleEndian.PutUint32(changed[12:], crc32.Checksum(changed[16:], castagnoli))
		g, err := Map(changed)
		if err != nil {
			continue
		}
		for _, word := range []string{"recieve", "", "nave", "字"} {
			g.Match(word, 2, 3)
			g.Complete(word, 1, 3)
			g.Weight(word)
		}
	}
}

// Lists that are whole but in another order are told, too: a search relies on it.
func TestMapRefusesDisorder(t *testing.T) {
	t.Parallel()
	for what, spoil := range map[string]func(g *QGrams){
		"words of grams": func(g *QGrams) {
			for i := range g.lists.grams {
				slices.Reverse(g.lists.words[g.lists.starts[i]:g.lists.starts[i+1]])
			}
		},
		"words": func(g *QGrams) { g.words.text = "cba" },
		"grams": func(g *QGrams) { slices.Reverse(g.lists.grams) },
	} {
		g := New(seq("a", "b", "c"))
		if what != "words" {
			g = New(seq("receive", "recipe", "recede", "rec", "re"))
		}
		spoil(g)
		if _, err := Map(written(t, g)); err == nil {
			t.Errorf("%s in another order are read", what)
		} else if _, ok := errors.AsType[*CorruptError](err); !ok {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func FuzzMap(f *testing.F) {
	f.Add(written(f, New(seq("receive", "recipe", "naïve", "字典"))))
	f.Add(written(f, New(seq())))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 16 {
			data = bytes.Clone(data)
			binary.LittleEndian.PutUint32(data[12:], crc32.Checksum(data[16:], castagnoli))
		}
		g, err := Map(data)
		if err != nil {
			return
		}
		g.Match("recieve", 2, 3)
		g.Complete("r", 1, 3)
	})
}

// The example of docs/formats/words.md is what is written.
func TestMapExample(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/formats/words.md")
	if err != nil {
		t.Fatal(err)
	}
	var digits strings.Builder
	for _, line := range regexp.MustCompile(`(?m)^[0-9a-f]{8}: ((?:[0-9a-f]+ )+) `).FindAllStringSubmatch(string(page), -1) {
		digits.WriteString(strings.ReplaceAll(line[1], " ", ""))
	}
	if got := hex.EncodeToString(written(t, New(seq("a")))); got != digits.String() {
		t.Errorf("%s, the page has %s", got, digits.String())
	}
}
