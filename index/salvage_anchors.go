package index

import (
	"context"
	"errors"

	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/internal/store"
)

// salvagedAnchors are the files of anchors that are intact, and what is left of
// the others.
type salvagedAnchors struct {
	intact   []*handle
	joined   int // of intact
	damaged  []damagedAnchors
	mappings []*store.Mapping // of those damaged
}

// damagedAnchors is what is left of a file.
type damagedAnchors struct {
	left  *segment.Remains
	older int // files of intact
}

func (a *salvagedAnchors) close() error {
	err := releaseAll(a.intact)
	for _, m := range a.mappings {
		err = errors.Join(err, m.Close())
	}
	return err
}

func (a *salvagedAnchors) manifest() []manifestAnchors {
	return (&anchoring{files: a.intact, committed: len(a.intact), joined: a.joined}).manifest()
}

// sortAnchors tells files of anchors that are intact, or can be repaired, from others.
func (s *salvage) sortAnchors() error {
	for _, a := range s.m.Anchors {
		h, left, err := s.open(a.Number, anchorsName(a.Number), a.ID)
		switch {
		case err != nil:
			return err
		case h != nil:
			s.anchors.intact = append(s.anchors.intact, h)
			if !a.Waiting {
				s.anchors.joined++
			}
		case left != nil:
			s.anchors.mappings = append(s.anchors.mappings, left.mapping)
			s.anchors.damaged = append(s.anchors.damaged, damagedAnchors{segment.Salvage(left.file, a.Targets, s.codec), len(s.anchors.intact)})
		}
	}
	return nil
}

// add adds what can be read of damaged files, and has all anchors joined anew.
func (a *salvagedAnchors) add(ctx context.Context, w *Writer) error {
	for _, d := range a.damaged {
		for target := range d.left.Docs {
			key, err := d.left.Key(target)
			if err != nil {
				continue
			}
			values, err := d.left.Values(target)
			of, err := readAnchors(&handle{}, key, values, err)
			if err != nil {
				continue
			}
			newer, err := a.has(key, d.older)
			if err == nil && !newer {
				err = errors.Join(w.DeleteAnchors(ctx, key), w.AddAnchors(ctx, of...))
			}
			if err != nil {
				return err
			}
		}
	}
	return w.rejoin(ctx)
}

// has reports whether an intact file, but the first ones, has a target.
func (a *salvagedAnchors) has(target string, first int) (bool, error) {
	for _, h := range a.intact[first:] {
		place, err := h.seg.Find(target)
		if err != nil {
			return false, damage(h.name(), err)
		}
		if place != segment.NoDoc {
			return true, nil
		}
	}
	return false, nil
}

// rejoin has the anchors of all documents joined in the next commit.
func (w *Writer) rejoin(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.parts {
		p.anchored = false
	}
	w.state.changed = w.state.changed || len(w.anchors.files) > 0
	return w.usable()
}
