package collect

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/webquarry/quarry/index/internal/exec"
)

// maxScore finds the best of what words and branches add up to: MaxScore (Turtle
// and Flood, 1995) with bounds by window, as Lucene does since 10. In each window
// the words of the smallest bounds, which together are not enough, are set
// aside: a document that only they are in is not wanted. The ratings of the
// others are added up in an array; what may be wanted is then looked up in the
// lists that were set aside, the greatest first, until it is clear that it is
// not wanted. What remains is scored. Where only one word is not set aside, there
// is nothing to add up: its documents are picked block by block.
//
// Of a group, at least one word has to match. Where a group has far fewer documents
// than the words that are not set aside, it leads instead: all others are set aside.
type maxScore struct {
	cutter
	*clauses
	c       *collector
	words   []*summand // by window: those that are set aside first
	before  []float64  // bounds of the words before, and of filters, added up
	first   int        // words before are set aside
	rarest  []*summand // the smallest group, if it has to match; nil: any word will do
	rare    int        // its size
	next    uint32     // documents before lack a word that is needed
	from    uint32     // where what is added up begins
	sums    []float64  // of the documents from there on
	matches []uint64   // a bit for each document
	kept    exec.Picked
	seen    int // documents that were read in the window
	// There are branches, whose bounds go one way: a window is done as a whole.
	branches bool
	// There are words over several fields. Such a word may be in few documents of one
	// field, such as titles, and its bound there is high: the lists are then set aside in the
	// order of what they add at most for each document, so that the short ones are added up
	// and not looked up for every document of a long one.
	fields bool
}

// A window has at least as many documents as are added up in one go, and at least up
// to where the first block ends. It grows until some documents of the words that are
// not set aside are in it, so that these are worth the bounds: where there are none,
// next to nothing is looked at.
const (
	fewSeen  = 1 << 7
	manySeen = 1 << 10
	// Windows that are left out whole do not grow further than so many times what is
	// added up in one go: the bounds of larger ones may be too high to leave them out.
	skipSpans = 8
)

func newMaxScore(c *collector, of *clauses) *maxScore {
	all := slices.Concat(append(of.groups, of.extra)...)
	m := &maxScore{cutter: newCutter(c.run, of.nodes), clauses: of, c: c, words: all, before: make([]float64, len(all)+1)}
	m.before[0] = of.base
	for _, group := range of.groups {
		if n := sizeOf(group); (len(of.groups) > 1 || len(of.extra) > 0) && (m.rarest == nil || n < m.rare) {
			m.rarest, m.rare = group, n
		}
	}
	for i, w := range all {
		w.window = c.scratch.window(i)
		w.cost = float64(max(1, w.size()))
		m.fields = m.fields || w.fields != nil
		if w.branch != nil {
			w.branch.join(m)
			m.branches = true
		}
	}
	for _, w := range m.rarest {
		w.rarest = true
	}
	return m
}

// collect takes up the wanted matches.
func (m *maxScore) collect() {
	run, docs := m.c.run, m.c.of.Seg.Docs
	m.sums, m.matches = m.c.scratch.takeSums(run.Span)
	size := run.Span
	for lo := uint32(0); lo < docs && !run.Stop(); {
		if run.Work != nil {
			run.Work.Windows++
			run.Work.Docs += m.seen
		}
		hi := m.end(lo, size)
		m.window(m.c.static, lo, hi)
		m.bound(lo, hi)
		m.seen = 0
		switch m.split(0); {
		case m.first == len(m.words):
			run.Pruned = true
			size, lo = max(size, min(2*size, skipSpans*run.Span)), hi
			continue
		default:
			lo = max(m.part(lo, hi), m.next)
		}
		switch {
		case m.seen < max(fewSeen, 2*len(m.words)):
			size = min(size, docs) * 2
		case m.seen > max(manySeen, 16*len(m.words)):
			size = max(size/2, run.Span)
		}
	}
	if run.Err == nil { // else some may not be 0
		m.c.scratch.giveSums(m.sums, m.matches)
	}
}

// end returns where the window from lo on ends.
func (m *maxScore) end(lo, size uint32) uint32 {
	docs := m.c.of.Seg.Docs
	until := docs - 1
	for _, w := range m.words {
		until = min(until, w.last(lo))
	}
	return max(until+1, lo+min(size, docs-lo))
}

// bound bounds the words in a window.
func (m *maxScore) bound(lo, hi uint32) {
	for _, w := range m.words {
		if m.c.run.Stop() {
			break
		}
		w.max = w.over(lo, hi)
	}
	slices.SortFunc(m.words, func(a, b *summand) int {
		if m.fields {
			return cmp.Compare(a.max*b.cost, b.max*a.cost)
		}
		return cmp.Compare(a.max, b.max)
	})
	m.addBounds()
}

func (m *maxScore) addBounds() {
	for _, w := range m.words {
		if w.fields != nil {
			w.fields.sum = 0
		}
	}
	for i, w := range m.words {
		most := w.max
		if w.fields != nil {
			most = w.fields.add(most)
		}
		m.before[i+1] = m.before[i] + most
	}
}

// split sets words aside, from so many that are.
func (m *maxScore) split(aside int) {
	m.first = aside
	for m.first < len(m.words) && m.before[m.first+1] < m.cut {
		m.first++
	}
}

// leads says when a group leads: to look a document up costs so many times what it
// costs to add one up.
const leads = 8

// lead sets all but the rarest group aside if that costs less. With phrases, it does
// so wherever one of their words would be added up: where that stands in a document is
// read while its list is there.
func (m *maxScore) lead() bool {
	times := leads
	if len(m.phrases) > 0 {
		times = 1
	}
	if m.rarest == nil || times*m.rare > sizeOf(m.words[m.first:]) {
		return false
	}
	n := 0
	for _, w := range m.words {
		if !w.rarest {
			m.words[n] = w
			n++
		}
	}
	copy(m.words[n:], m.rarest)
	m.first = n
	m.addBounds()
	return true
}

// part takes up the wanted documents from lo up to hi, and returns where it stopped.
func (m *maxScore) part(lo, hi uint32) uint32 {
	if !m.lead() && m.first > 0 {
		m.c.run.Pruned = true
	}
	for from := m.start(lo); from < hi && !m.c.run.Stop(); from = m.start(from) {
		if m.enough(lo, hi) && from > lo {
			return from
		}
		aside := m.first
		if m.split(aside); m.first > aside {
			m.c.run.Pruned = true
		}
		if m.first == len(m.words) {
			return hi
		}
		if last := m.words[m.first]; m.first == len(m.words)-1 && last.branch == nil {
			return m.alone(last, from, hi)
		}
		m.from = from
		to := from + min(m.c.run.Span, hi-from)
		for _, w := range m.words[m.first:] {
			if w.branch == nil {
				m.add(w, from, to)
			}
		}
		m.addBranches(from, to)
		m.pick(from)
		from = to
	}
	return hi
}

// enough reports whether so much was read in a window that a new one, with bounds of
// its own, is better than the rest of it.
func (m *maxScore) enough(lo, hi uint32) bool {
	return m.seen > max(manySeen, 16*len(m.words)) && hi-lo > m.c.run.Span && !m.branches
}

// start returns the first document from lo on that a word has which is not set aside.
func (m *maxScore) start(lo uint32) uint32 {
	next := uint32(exec.End)
	for _, w := range m.words[m.first:] {
		next = min(next, w.next(lo))
	}
	return next
}

// add adds the ratings of a word in a window.
func (m *maxScore) add(w *summand, lo, hi uint32) {
	codes, r := w.lengths.Codes(), w.ratings
	in := w.window
	in.docs, in.tfs, in.at = in.docs[:0], in.tfs[:0], 0
	for from := lo; !m.c.run.Stop(); {
		docs := w.cursor.Batch(from, hi)
		if len(docs) == 0 {
			return
		}
		m.seen += len(docs)
		tfs := w.cursor.TFs(len(docs))
		in.docs, in.tfs = append(in.docs, docs...), append(in.tfs, tfs...)
		for j, doc := range docs {
			i := doc - lo
			row := r.Table.Rows[min(tfs[j], exec.RatedTF+1)].Load() // as in Ratings.At
			if row != nil && row[codes[doc]] != 0 {
				m.sums[i] += r.Scale * float64(row[codes[doc]])
			} else {
				m.sums[i] += r.Rate(tfs[j], codes[doc])
			}
			m.matches[i/64] |= 1 << (i % 64)
		}
		from = docs[len(docs)-1] + 1
	}
}

// alone takes up the wanted documents of a window where all words but w are set
// aside, and returns where it stopped.
func (m *maxScore) alone(w *summand, lo, hi uint32) uint32 {
	run := m.c.run
	codes, rest := w.lengths.Codes(), m.before[m.first]
	for from, to := lo, lo; from < hi && !run.Stop(); from = max(to, m.next) {
		if from > lo && m.enough(lo, hi) {
			return from
		}
		most, last := w.block.Bound(from)
		to = min(last, hi-1) + 1
		if most+rest < m.cut {
			run.Pruned = true
			continue
		}
		docs := w.cursor.Batch(from, to)
		if len(docs) == 0 {
			continue
		}
		m.seen += len(docs)
		tfs := w.cursor.TFs(len(docs))
		bar := m.cut - rest
		kept := m.kept.Among(docs, tfs, codes, w.ratings, w.block.Least(bar), bar)
		run.Pruned = run.Pruned || len(kept) < len(docs)
		for _, i := range kept {
			if docs[i] < m.next {
				continue
			}
			sum := w.ratings.At(tfs[i], codes[docs[i]])
			if w.tf = tfs[i]; m.wanted(docs[i], sum) {
				m.take(docs[i], w)
			}
		}
	}
	return hi
}

// pick takes up the wanted documents of what was added up, and empties it.
func (m *maxScore) pick(lo uint32) {
	run, rest := m.c.run, m.before[m.first]
	for i, set := range m.matches {
		if set == 0 {
			continue
		}
		m.matches[i] = 0
		for ; set != 0; set &= set - 1 {
			at := 64*i + bits.TrailingZeros64(set)
			sum := m.sums[at]
			m.sums[at] = 0
			if sum+rest < m.cut {
				run.Pruned = true
				continue
			}
			if doc := lo + uint32(at); doc >= m.next && m.wanted(doc, sum) && m.find(doc) {
				m.take(doc, nil)
			}
		}
	}
}

// wanted looks a document up in the lists that were set aside.
func (m *maxScore) wanted(doc uint32, sum float64) bool {
	run := m.c.run
	if sum+m.before[m.first] < m.cut {
		run.Pruned = true
		return false
	}
	for i := m.first - 1; i >= 0; i-- {
		w := m.words[i]
		if i%8 == 7 && run.Stop() {
			return false
		}
		if w.branch != nil {
			var ok bool
			if sum, ok = m.lookUp(w, doc, sum, m.before[i]); !ok {
				return false
			}
			continue
		}
		w.tf = 0
		if !w.idle {
			if most, _ := w.block.Bound(doc); sum+min(most, w.max)+m.before[i] < m.cut {
				run.Pruned = true
				return false
			}
		}
		if w.advance(doc) {
			sum += w.ratings.At(w.tf, w.lengths.Codes()[doc])
		} else if w.needed {
			m.next = w.cursor.Doc()
			return false
		}
		if sum+m.before[i] < m.cut {
			run.Pruned = true
			return false
		}
	}
	return true
}

// find looks a document up in what was added up, and reports whether all words
// that are needed there are in it.
func (m *maxScore) find(doc uint32) bool {
	for _, w := range m.words[m.first:] {
		if w.find(doc); w.needed && !w.found() {
			return false
		}
	}
	return true
}

// take takes up a match. The cursor of lead, if it is not nil, may be behind it.
func (m *maxScore) take(doc uint32, lead *summand) {
	if m.c.run.Stop() || m.c.of.Deleted.Has(doc) || !m.Holds(doc) {
		return
	}
	if len(m.phrases) > 0 {
		if lead != nil {
			lead.cursor.Return(doc)
		}
		if !m.phrased(doc, m.cut, m.words) {
			return
		}
	}
	m.c.add(doc, m.c.static.With(doc, m.formula.value(doc)))
	m.renew()
}
