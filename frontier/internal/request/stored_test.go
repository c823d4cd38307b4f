package request

import (
	"testing"
)

// FuzzStored reads arbitrary bytes as a block; what was read is written again.
func FuzzStored(f *testing.F) {
	var b []byte
	var before Stored
	for _, x := range []Stored{
		{URL: []byte("http://a.test/1"), Seq: 1},
		{URL: []byte("http://a.test/2"), Via: []byte("http://a.test/"), Label: []byte("x"), Seq: 5, Depth: 1, Priority: 7},
		{Host: 3, Lane: LaterLane, URL: []byte("http://b.test/"), Variant: []byte("v"), Meta: []byte(meta("a.b", "1")), Due: 9, Attempt: 2},
	} {
		b = AppendStored(b, &x, &before)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var x, before, again Stored
		d := Decoder{B: b}
		for len(d.B) > 0 {
			d.Stored(&x)
			if d.Bad {
				return
			}
			written := Decoder{B: AppendStored(nil, &x, &before)}
			written.Stored(&again)
			got, want := again.Request(), x.Request()
			got.Priority, want.Priority = 0, 0 // compared by their bits, for NaN is not equal to itself
			if written.Bad || again.Spot() != x.Spot() || again.Priority != x.Priority || got != want {
				t.Fatalf("%+v became %+v", x, again)
			}
		}
	})
}
