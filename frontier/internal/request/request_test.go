package request

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestRequestExample holds the code to the bytes in its comment and in the docs.
func TestRequestExample(t *testing.T) {
	t.Parallel()
	var want []byte
	last := Request{}
	for _, u := range []string{"http://a.example/b", "http://a.example/c"} {
		r := Request{URL: u, Via: "http://a.example/", Depth: 1}
		want = Append(want, &r, &last)
		last = r
	}
	for _, file := range []string{"request.go", "../../../docs/formats/frontier-state.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		for _, m := range regexp.MustCompile(`(?m)^(?://\t|    )((?:[0-9a-f]{2} (?:\| )?)+[0-9a-f]{2})$`).FindAllSubmatch(text, -1) {
			b, err := hex.DecodeString(strings.NewReplacer(" ", "", "|", "").Replace(string(m[1])))
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, b...)
		}
		if !bytes.Contains(got, want) {
			t.Errorf("%s has\n% x\nthe code makes\n% x", file, got, want)
		}
	}
}

// meta is keys, in ascending order, and their values as a request has them.
func meta(pairs ...string) string {
	b := binary.AppendUvarint(nil, uint64(len(pairs)/2))
	for first := range 2 {
		for i := first; i < len(pairs); i += 2 {
			b = append(binary.AppendUvarint(b, uint64(len(pairs[i]))), pairs[i]...)
		}
	}
	return string(b)
}

// TestRequestsRoundTrip writes random requests after one another.
func TestRequestsRoundTrip(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	pick := func(s ...string) string { return s[rnd.IntN(len(s))] }
	for range 300 {
		var b []byte
		var want []Request
		last := Request{}
		for range 1 + rnd.IntN(20) {
			r := Request{
				URL:      "http://" + pick("a", "ab", "b") + pick("", "/", "/x", "/x/ü", "/x/y?"+strings.Repeat("z", rnd.IntN(300))),
				Via:      pick("", "", "http://a", "http://a/x", "nonsense"),
				Depth:    rnd.IntN(3),
				Hops:     rnd.IntN(2),
				Variant:  pick("", "", "", "quarry.x", "\x00\xff"),
				Meta:     []string{"", "", meta("a.b", "\x00value\xff"), meta("a.b", "1", "quarry.c", pick("2", "3"))}[rnd.IntN(4)],
				Priority: []float64{0, 0, 1, -1.5, math.Inf(1), math.MaxFloat64}[rnd.IntN(6)],
				Due:      []int64{0, rnd.Int64()}[rnd.IntN(2)],
				Attempt:  rnd.IntN(2) * rnd.IntN(math.MaxInt32),
				Label:    pick("", "", "detail", "list"),
			}
			b = Append(b, &r, &last)
			last = r
			want = append(want, r)
		}
		d := Decoder{B: b}
		last = Request{}
		for i, w := range want {
			got := d.Request(&last)
			if last = got; got != w || d.Bad {
				t.Fatalf("request %d: %+v, want %+v", i, got, w)
			}
		}
		if len(d.B) > 0 {
			t.Fatalf("%d bytes left", len(d.B))
		}
	}
}

// TestMetaCompact holds what a meta takes on disk, next to one with the same keys, to its
// values and a few bytes.
func TestMetaCompact(t *testing.T) {
	t.Parallel()
	last := Request{URL: "http://a.test/1", Meta: meta("quarry.crawler", "tag-1", "quarry.recrawl", "history-1")}
	next := Request{URL: "http://a.test/2", Meta: meta("quarry.crawler", "gat-2", "quarry.recrawl", "yrotsih-2")}
	with := len(Append(nil, &next, &last))
	next.Meta, last.Meta = "", ""
	if without := len(Append(nil, &next, &last)); with-without > len("gat-2")+len("yrotsih-2")+5 {
		t.Errorf("%d bytes, %d without", with, without)
	}
}
