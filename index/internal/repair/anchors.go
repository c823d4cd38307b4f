package repair

import (
	"errors"

	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/internal/store"
)

// Anchors are the files of anchors that are intact, and what is left of
// the others.
type Anchors struct {
	Intact   []*commit.File
	Joined   int // of intact
	Damaged  []damagedAnchors
	mappings []*store.Mapping // of those damaged
}

// damagedAnchors is what is left of a file.
type damagedAnchors struct {
	Left  *segment.Remains
	Older int // files of intact
}

func (a *Anchors) close() error {
	err := commit.ReleaseAll(a.Intact)
	for _, m := range a.mappings {
		err = errors.Join(err, m.Close())
	}
	return err
}

// sortAnchors tells files of anchors that are intact, or can be repaired, from others.
func (s *Index) sortAnchors() error {
	for _, a := range s.Manifest.Anchors {
		h, left, err := s.open(a.Number, commit.AnchorsName(a.Number), a.ID)
		switch {
		case err != nil:
			return err
		case h != nil:
			s.Anchors.Intact = append(s.Anchors.Intact, h)
			if !a.Waiting {
				s.Anchors.Joined++
			}
		case left != nil:
			s.Anchors.mappings = append(s.Anchors.mappings, left.mapping)
			s.Anchors.Damaged = append(s.Anchors.Damaged, damagedAnchors{segment.Salvage(left.file, a.Targets, s.codec), len(s.Anchors.Intact)})
		}
	}
	return nil
}

// Has reports whether an intact file, but the first ones, has a target.
func (a *Anchors) Has(target string, first int) (bool, error) {
	for _, h := range a.Intact[first:] {
		place, err := h.Seg.Find(target)
		if err != nil {
			return false, fault.Damage(h.Name(), err)
		}
		if place != segment.NoDoc {
			return true, nil
		}
	}
	return false, nil
}
