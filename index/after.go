package index

// afterScore is where a page ended in the order of scores.
type afterScore struct {
	score float64
	docs  []uint32 // by view, the first document whose key is greater
}

// afterScore places a cursor in the segments.
func (c *commit) afterScore(it *item) (*afterScore, error) {
	if it == nil {
		return nil, nil
	}
	a := &afterScore{score: scoreOf(it.rungs[0])}
	for _, v := range c.views {
		keys := v.seg.Keys.Iter()
		first := v.seg.Docs
		if keys.Seek([]byte(it.key)) {
			first = uint32(keys.Place())
			if string(keys.Text()) == it.key {
				first++
			}
		}
		if err := keys.Err(); err != nil {
			return nil, damage(v.name(), err)
		}
		a.docs = append(a.docs, first)
	}
	return a, nil
}

// behind reports whether a match comes behind the page before; nil: there was
// none.
func (a *afterScore) behind(view int, doc uint32, score float64) bool {
	return a == nil || score < a.score || score == a.score && doc >= a.docs[view]
}
