package crawler

import (
	"math"
	"testing"
	"time"
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
		for _, own := range []string{"", "m", memoMark, memoMark + "\x00", memoMark + "a\x00b\x00c", "\x00"} {
			n.own = own
			if got := readNote(n.String()); got != n {
				t.Errorf("%+v comes back as %+v", n, got)
			}
		}
	}
	if memo := (note{own: "m"}).String(); memo != "m" {
		t.Errorf("the Memo of a Revisit alone is %q", memo)
	}
}

func FuzzNote(f *testing.F) {
	f.Add(note{validators: validators{`"1"`, "x"}, guess: true, clear: clearance{time.Unix(1, 0), time.Second}, as: asClaim, claim: claim{of: "x"}, own: "m"}.String())
	f.Add("\x01\x03\x00")
	f.Add("\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01x")
	f.Fuzz(func(t *testing.T, memo string) {
		n := readNote(memo)
		again := readNote(n.String())
		if n.String() != again.String() || again.own != n.own {
			t.Errorf("%q: %+v, then %+v", memo, n, again)
		}
		if err := Asked(n.within(t.Context())).check(); err != nil {
			t.Error(err)
		}
	})
}
