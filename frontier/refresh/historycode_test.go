package refresh

import (
	"bytes"
	"errors"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func encoded(t rapid.TB, h History) []byte {
	t.Helper()
	b, err := h.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestHistoryBytes(t *testing.T) {
	t.Parallel()
	h := History{
		First: time.UnixMilli(1000).UTC(), Last: time.UnixMilli(1300).UTC(), Visits: 5, Changes: 2, Dated: 1,
		Quiet: 200 * time.Millisecond, seen: evidence{1.5, 0.25},
	}
	want := []byte{1, 0xa8, 0x14, 0xac, 0x02, 5, 2, 1, 0xc8, 0x01, 0, 0, 0xc0, 0x3f, 0, 0, 0x80, 0x3e}
	if got := encoded(t, h); !bytes.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
	var back History
	if err := back.UnmarshalBinary(want); err != nil || back != h {
		t.Errorf("read as %+v, %v", back, err)
	}
	if got := encoded(t, History{}); !bytes.Equal(got, []byte{1}) {
		t.Errorf("no visit is %x", got)
	}
	back = h
	if err := back.UnmarshalBinary([]byte{1}); err != nil || back != (History{}) {
		t.Errorf("no visit is read as %+v, %v", back, err)
	}
}

// What is stored is what was there, but for what a millisecond and a float32
// cannot hold, and a page of a year of visits is small.
func TestHistoryRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := History{}.Next(Visit{At: time.UnixMilli(rapid.Int64Range(-1e12, 1e13).Draw(t, "first")).UTC()})
		for range rapid.IntRange(0, 50).Draw(t, "visits") {
			v := Visit{At: h.Last.Add(time.Duration(rapid.Int64Range(1, 1e7).Draw(t, "gap")) * time.Millisecond), Changed: rapid.Bool().Draw(t, "changed")}
			if rapid.Bool().Draw(t, "dated") {
				v.Modified = v.At.Add(-time.Hour)
			}
			h = h.Next(v)
		}
		b := encoded(t, h)
		if len(b) > 32 {
			t.Errorf("%d bytes", len(b))
		}
		var back History
		if err := back.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if math.Abs(back.seen.changes-h.seen.changes) > 1e-6*h.seen.changes || math.Abs(back.seen.seconds-h.seen.seconds) > 1e-6*h.seen.seconds {
			t.Fatalf("%+v became %+v", h.seen, back.seen)
		}
		if back.seen = h.seen; back != h {
			t.Fatalf("%+v became %+v", h, back)
		}
	})
}

func TestHistoryRefuses(t *testing.T) {
	t.Parallel()
	h := after(History{}.Next(Visit{At: day(0)}), 5, aDay, true)
	good := encoded(t, h)
	nan := append(bytes.Clone(good[:len(good)-4]), 0, 0, 0xc0, 0x7f)
	for name, b := range map[string][]byte{
		"nothing": {}, "version 0": {0}, "version 2": append([]byte{2}, good[1:]...), "long": append(bytes.Clone(good), 0), "no number": nan,
		"endless": bytes.Repeat([]byte{0xff}, 40), "endless after the version": append([]byte{1}, bytes.Repeat([]byte{0xff}, 40)...),
		"more changes than visits": {1, 2, 2, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		"more dates than changes":  {1, 2, 2, 2, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0},
	} {
		back := h
		if err := back.UnmarshalBinary(b); !errors.Is(err, ErrCorrupt) || back != h {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i := 1; i < len(good); i++ {
		var back History
		if err := back.UnmarshalBinary(good[:i]); i > 1 && !errors.Is(err, ErrCorrupt) {
			t.Errorf("%d bytes of %d: %v", i, len(good), err)
		}
	}
}

// Any time and count can be written and read again.
func TestHistoryFarTimes(t *testing.T) {
	t.Parallel()
	for _, h := range []History{
		{First: time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), Last: time.Date(290e6, 1, 1, 0, 0, 0, 0, time.UTC)},
		{First: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Last: time.Date(-9e6, 1, 1, 0, 0, 0, 0, time.UTC), Visits: -1, Changes: -5},
		{Last: day(0), Quiet: math.MaxInt64, Visits: math.MaxInt64, Changes: math.MaxInt64},
	} {
		var back History
		if err := back.UnmarshalBinary(encoded(t, h)); err != nil {
			t.Errorf("%+v: %v", h, err)
		}
	}
}

func FuzzHistory(f *testing.F) {
	f.Add([]byte{1})
	h := after(History{}.Next(Visit{At: day(0)}), 5, aDay, true)
	for _, h := range []History{h, after(h, 50, time.Minute, false), h.Next(Visit{At: day(9), Changed: true, Modified: day(8.5)})} {
		b, _ := h.MarshalBinary()
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var h History
		if err := h.UnmarshalBinary(b); err != nil {
			if !errors.Is(err, ErrCorrupt) || h != (History{}) {
				t.Fatalf("%+v, %v", h, err)
			}
			return
		}
		var again History
		if err := again.UnmarshalBinary(encoded(t, h)); err != nil || again != h {
			t.Fatalf("%+v became %+v, %v", h, again, err)
		}
		if r := h.Rate(); !(r >= 0) || math.IsInf(r, 0) {
			t.Fatalf("%+v has rate %v", h, r)
		}
		s := Scheduler{}
		now := h.Last.Add(time.Hour)
		if _, at := s.Visit(h, Visit{At: now, Changed: true}); at.Before(now.Add(time.Minute)) || at.After(now.Add(90*aDay)) {
			t.Fatalf("%+v is due %v", h, at)
		}
	})
}
