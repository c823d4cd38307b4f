package index

// afterScore is where a page ended in the order of scores.
type afterScore struct {
	score  float64
	places []uint32 // by view, that of the first key that is greater
}

// afterScore places a cursor in the segments.
func (c *commit) afterScore(it *item) (*afterScore, error) {
	if it == nil {
		return nil, nil
	}
	a := &afterScore{score: scoreOf(it.rungs[0])}
	for _, v := range c.views {
		first, err := v.firstFrom(it.key)
		if err != nil {
			return nil, err
		}
		if first < v.seg.Docs {
			key, err := v.seg.Keys.At(int(first))
			if err != nil {
				return nil, damage(v.name(), err)
			}
			if key == it.key {
				first++
			}
		}
		a.places = append(a.places, first)
	}
	return a, nil
}

// behind reports whether a match comes behind the page before; nil: there was
// none.
func (a *afterScore) behind(view int, place uint32, score float64) bool {
	return a == nil || score < a.score || score == a.score && place >= a.places[view]
}

// firstFrom returns the place of the first key that is not less than key.
func (v *view) firstFrom(key string) (uint32, error) {
	keys := v.seg.Keys.Iter()
	if keys.Seek([]byte(key)) {
		return uint32(keys.Place()), nil
	}
	return v.seg.Docs, damage(v.name(), keys.Err())
}
