package crawler

import (
	"math"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler/internal/keys"
	"github.com/webquarry/quarry/frontier"
)

func TestNote(t *testing.T) {
	t.Parallel()
	for _, n := range []note{
		{}, {validators: validators{`"1"`, ""}}, {validators: validators{"", "x"}}, {guess: true},
		{clear: clearance{time.Unix(1_800_000_000, 0), 24 * time.Hour}, priority: math.Inf(-1)},
		{validators: validators{`"1"`, "x"}, guess: true, clear: clearance{time.Unix(1, 0), 0}, priority: 0.5},
		{as: asPage}, {as: asBack}, {way: "12345678abcdefgh", trail: "http://a.test/\na=b; Path=/\n"}, {at: "http://a.test/?x", priority: 1},
		{as: asClaim, claim: claim{of: "http://a.test/", way: "12345678\x01abcdefgh\x00", greater: true, late: true}, priority: -1},
	} {
		others := frontier.Meta{}.With("shop.price", "3").With("quarry.recrawl", "x")
		m := n.on(others)
		if got := noteOn(frontier.Request{Meta: m}); got != n || m.Without(keys.Crawler) != others {
			t.Errorf("%+v comes back as %+v with %v", n, got, m.Without(keys.Crawler))
		}
		if m = (note{}).on(m); m != others {
			t.Errorf("nothing of note is kept as %v", m)
		}
	}
}

func FuzzNote(f *testing.F) {
	f.Add(note{validators: validators{`"1"`, "x"}, guess: true, clear: clearance{time.Unix(1, 0), time.Second}, as: asClaim, claim: claim{of: "x"}}.String())
	f.Add("\x03\x00")
	f.Add("\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01x")
	f.Fuzz(func(t *testing.T, value string) {
		n := readNote(value)
		again := readNote(n.String())
		if n.String() != again.String() {
			t.Errorf("%q: %+v, then %+v", value, n, again)
		}
		if err := Asked(n.within(t.Context())).check(); err != nil {
			t.Error(err)
		}
	})
}
