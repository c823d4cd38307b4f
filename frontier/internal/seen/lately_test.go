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

// TestLatelyZero keeps the key that stands for nothing out.
func TestLatelyZero(t *testing.T) {
	t.Parallel()
	var l lately
	if l.has(0) {
		t.Error("0 is there")
	}
	l.note(uint64(len(l)))
	if l.has(0) || !l.has(uint64(len(l))) {
		t.Error("one of a cell was taken for another")
	}
}
