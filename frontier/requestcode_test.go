package frontier

import (
	"bytes"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestRequestExample holds the code to the bytes in its comment and in the docs.
func TestRequestExample(t *testing.T) {
	t.Parallel()
	var want []byte
	last := Request{}
	for _, u := range []string{"http://a.example/b", "http://a.example/c"} {
		r := Request{URL: u, Via: "http://a.example/", Depth: 1}
		want = appendRequest(want, &r, &last)
		last = r
	}
	for _, file := range []string{"requestcode.go", "../docs/formats/frontier-state.md"} {
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
				Meta:     []Meta{{}, {}, Meta{}.With("a.b", "\x00value\xff"), Meta{}.With("a.b", "1").With("quarry.c", pick("2", "3"))}[rnd.IntN(4)],
				Priority: []float64{0, 0, 1, -1.5, math.Inf(1), math.MaxFloat64}[rnd.IntN(6)],
				Due:      []time.Time{{}, time.Unix(0, rnd.Int64()).UTC()}[rnd.IntN(2)],
				Attempt:  rnd.IntN(2) * rnd.IntN(math.MaxInt32),
				Label:    pick("", "", "detail", "list"),
			}
			b = appendRequest(b, &r, &last)
			last = r
			want = append(want, r)
		}
		d := decoder{b: b}
		last = Request{}
		for i, w := range want {
			got := d.request(&last)
			if last = got; got != w || d.bad {
				t.Fatalf("request %d: %+v, want %+v", i, got, w)
			}
		}
		if len(d.b) > 0 {
			t.Fatalf("%d bytes left", len(d.b))
		}
	}
}

func TestTimesRoundTrip(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		in   time.Time
		want int64
	}{
		{time.Time{}, 0},
		{time.Unix(0, 0), 1},
		{time.Unix(-5, 0), 1},
		{time.Unix(1, 5), 1e9 + 5},
		{time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), math.MaxInt64},
		{time.Unix(math.MaxInt64/1_000_000_000, 999_999_999), math.MaxInt64},
	} {
		if got := nanos(x.in); got != x.want || nanos(fromNanos(got)) != got && got != math.MaxInt64 {
			t.Errorf("%v: %d, want %d; back %v", x.in, got, x.want, fromNanos(got))
		}
	}
}
