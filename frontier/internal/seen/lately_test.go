package seen

import "testing"

// TestLately finds what was found lately in a run that cannot be read any more, and
// nothing else there.
func TestLately(t *testing.T) {
	t.Parallel()
	s := openSet(t, scratch(t))
	s.most = 0 // read, not mapped
	m := model{}
	m.add(t, s, []uint64{1, 2, 3})
	s.Freeze(1)
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ok, err := s.HasOne(1); !ok || err != nil {
		t.Fatal(ok, err)
	}
	m.add(t, s, []uint64{2, 4})
	s.tier.runs[0].file.Close()
	for _, fp := range []uint64{1, 2, 4} {
		if ok, err := s.HasOne(fp); !ok || err != nil {
			t.Errorf("%d: %v, %v", fp, ok, err)
		}
	}
	if _, err := s.HasOne(3); err == nil {
		t.Error("3 was read")
	}
}

// TestLatelyCells takes no key of a cell for another, and keeps the one out that stands
// for nothing.
func TestLatelyCells(t *testing.T) {
	t.Parallel()
	for _, keys := range []int{0, 1, 1000, 1 << 30} {
		l := lately(nil).fit(keys)
		n := uint64(len(l))
		if n == 0 || n&(n-1) != 0 || n > latelyCells || len(l.fit(keys/2)) != len(l) {
			t.Fatalf("%d cells for %d keys", n, keys)
		}
		if l.has(0) {
			t.Error("0 is there")
		}
		l.note(n)
		l.note(3 * n)
		if l.has(0) || l.has(n) || !l.has(3*n) {
			t.Error("one of a cell was taken for another")
		}
	}
}
