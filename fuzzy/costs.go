package fuzzy

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"unicode/utf8"
)

// Costs tells likely errors from unlikely ones: what each edit costs, where the
// distances count all edits the same. A cost is 0 for what is no error at all, and
// with [LearnCosts] the natural logarithm of how rare the error is.
//
// It does not change once it is made, so many goroutines may use it at once.
type Costs struct {
	plain   EditCosts
	rules   []CostRule
	groups  map[string]*ruleGroup // by Written
	longest int                   // runes of the longest Written
}

// EditCosts is what edits cost that no rule knows.
type EditCosts struct {
	Insert  float64 // a rune is written that was not meant
	Delete  float64 // a rune is left out
	Replace float64
	Swap    float64 // two neighbours change places
	Double  float64 // a rune is written twice, or once instead of twice
	First   float64 // what replacing, leaving out or putting in the first rune costs more
}

// CostRule is the cost of writing one piece of a word for another. A piece may
// begin with ^ for the beginning of the word and end with $ for its end; that of
// Written is then the same. Both have from 1 to 6 runes with the marks, so letters
// that come or go do so beside others: "t" for "tt", "^n" for "^kn".
type CostRule struct {
	Meant, Written string
	Cost           float64
}

func (r CostRule) valid() bool {
	size, written := utf8.RuneCountInString(r.Meant), utf8.RuneCountInString(r.Written)
	return size >= 1 && size <= maxPiece && written >= 1 && written <= maxPiece && r.Cost >= 0 && utf8.ValidString(r.Meant+r.Written)
}

// maxPiece is how many runes a piece has at most, marks included.
const maxPiece = 6

// classes is how many sorts of last runes there are.
const classes = 32

// ruleGroup is the rules with one Written, in order of the last rune of Meant.
type ruleGroup struct {
	rules  []costRule
	starts [classes + 1]uint32 // those of class k are rules[starts[k]:starts[k+1]]
}

type costRule struct {
	meant [maxPiece]rune
	size  uint8 // runes of meant
	cost  float32
}

func (r *costRule) class() int { return int(r.meant[r.size-1] % classes) }

// NewCosts makes Costs of plain costs and rules. Of two rules for the same pieces
// the cheaper counts; those with pieces of no or too many runes are left out.
func NewCosts(plain EditCosts, rules []CostRule) *Costs {
	c := &Costs{plain: plain, groups: map[string]*ruleGroup{}}
	for _, r := range rules {
		if !r.valid() {
			continue
		}
		rule := costRule{size: uint8(utf8.RuneCountInString(r.Meant)), cost: float32(r.Cost)}
		copy(rule.meant[:], []rune(r.Meant))
		group := c.groups[r.Written]
		if group == nil {
			group = new(ruleGroup)
			c.groups[r.Written] = group
		}
		group.rules = append(group.rules, rule)
		c.rules = append(c.rules, r)
		c.longest = max(c.longest, utf8.RuneCountInString(r.Written))
	}
	for _, group := range c.groups {
		slices.SortFunc(group.rules, func(a, b costRule) int { return cmp.Compare(a.class(), b.class()) })
		for i, r := range group.rules {
			for k := r.class() + 1; k <= classes; k++ {
				group.starts[k] = uint32(i) + 1
			}
		}
	}
	return c
}

// TypingCosts is what slips of fingers cost, and of anybody who does not know how
// a word is written, whatever the language: twice the same letter or once, letters
// that change places, vowels for vowels, neighbours on a QWERTY keyboard, and rather
// not the first letter.
func TypingCosts() *Costs { return typingCosts() }

var typingCosts = sync.OnceValue(func() *Costs {
	var rules []CostRule
	replace := func(a, b rune, cost float64) {
		rules = append(rules, CostRule{string(a), string(b), cost}, CostRule{string(b), string(a), cost})
	}
	const vowels = "aeiouy"
	for i, a := range vowels {
		for _, b := range vowels[i+1:] {
			replace(a, b, 5.5)
		}
	}
	rows := []string{"qwertyuiop", "asdfghjkl", "zxcvbnm"}
	for n, row := range rows {
		for i, a := range row {
			if i+1 < len(row) {
				replace(a, rune(row[i+1]), 6)
			}
			for j := max(i-1, 0); n+1 < len(rows) && j <= i && j < len(rows[n+1]); j++ {
				replace(a, rune(rows[n+1][j]), 6)
			}
		}
	}
	return NewCosts(EditCosts{Insert: 6, Delete: 6, Replace: 7, Swap: 4, Double: 3, First: 2}, rules)
})

// ScanningCosts is what a machine gets wrong that reads print: characters that look
// alike, and such that look like two.
func ScanningCosts() *Costs { return scanningCosts() }

var scanningCosts = sync.OnceValue(func() *Costs {
	var rules []CostRule
	for _, pair := range [][2]string{
		{"o", "0"}, {"l", "1"}, {"i", "1"}, {"i", "l"}, {"s", "5"}, {"b", "6"}, {"b", "8"}, {"g", "9"}, {"z", "2"}, {"e", "c"}, {"u", "v"},
		{"n", "u"}, {"h", "b"}, {"f", "t"}, {"q", "g"}, {"m", "rn"}, {"m", "nn"}, {"w", "vv"}, {"d", "cl"}, {"n", "ri"}, {"h", "li"}, {"k", "lc"},
		{"u", "ii"}, {"fi", "h"}, {"ß", "b"}, {"ti", "n"},
	} {
		rules = append(rules, CostRule{pair[0], pair[1], 2.5}, CostRule{pair[1], pair[0], 3})
	}
	return NewCosts(EditCosts{Insert: 7, Delete: 7, Replace: 7, Swap: 10, Double: 7}, rules)
})

// Plain is what edits cost that no rule knows.
func (c *Costs) Plain() EditCosts { return c.plain }

// Rules is a copy of the rules, to make other Costs of.
func (c *Costs) Rules() []CostRule { return slices.Clone(c.rules) }

// Distance is the cost of the cheapest way to write written where meant was
// meant. It takes time and space in proportion to the product of the lengths.
func (c *Costs) Distance(meant, written string) float64 {
	var ch channel
	ch.compile(c, written)
	return float64(ch.cost(meant, math.MaxFloat32))
}

// DistanceAtMost is Distance when that is at most most, else false.
func (c *Costs) DistanceAtMost(meant, written string, most float64) (float64, bool) {
	var ch channel
	ch.compile(c, written)
	d := float64(ch.cost(meant, float32(most)))
	return d, d <= most
}

// Similarity is 1 where nothing is an error, and 0 where it costs as much as to
// write all of written anew.
func (c *Costs) Similarity(meant, written string) float64 {
	whole := c.plain.Delete*float64(utf8.RuneCountInString(meant)) + c.plain.Insert*float64(utf8.RuneCountInString(written))
	if d := c.Distance(meant, written); d > 0 {
		return max(0, 1-d/whole)
	}
	return 1
}

// Align gives the edits that Distance counts, in order, and between them what
// stays, at no cost. Edits are the pieces of rules, with what stands in both.
func (c *Costs) Align(meant, written string) []Edit {
	var ch channel
	ch.compile(c, written)
	ch.cost(meant, math.MaxFloat32)
	a, b := ch.meant, ch.written
	var edits []Edit
	for i, j := len(a), len(b); i > 0 || j > 0; {
		_, k, l := ch.cell(i, j)
		from, to := max(k, 1), min(i, len(a)-1)
		fromB, toB := max(l, 1), min(j, len(b)-1)
		if e := (Edit{string(a[from:max(from, to)]), string(b[fromB:max(fromB, toB)]), from - 1, float64(ch.at(i, j) - ch.at(k, l))}); e.Meant != "" || e.Written != "" {
			edits = append(edits, e)
		}
		i, j = k, l
	}
	slices.Reverse(edits)
	return joinKept(edits)
}

// A channel computes the costs of one written word for many that may be meant.
// Both have the marks of beginning and end around them.
type channel struct {
	costs   *Costs
	written []rune
	groups  []placedGroup // those whose Written ends at place j are groups[ends[j-1]:ends[j]]
	ends    []int

	meant []rune
	cells []float32 // (len(meant)+1) rows of len(written)+1
}

type placedGroup struct {
	*ruleGroup
	size int // runes of Written
}

const beginMark, endMark = '^', '$'

func (ch *channel) compile(c *Costs, written string) {
	ch.costs = c
	ch.written = marked(ch.written[:0], written)
	ch.groups, ch.ends = ch.groups[:0], append(ch.ends[:0], 0)
	text := string(ch.written)
	to := 0
	for j, r := range ch.written {
		to += utf8.RuneLen(r)
		from := to
		for n := 1; n <= min(c.longest, j+1); n++ {
			from -= utf8.RuneLen(ch.written[j+1-n])
			if group := c.groups[text[from:to]]; group != nil {
				ch.groups = append(ch.groups, placedGroup{group, n})
			}
		}
		ch.ends = append(ch.ends, len(ch.groups))
	}
}

func marked(dst []rune, s string) []rune {
	return append(appendRunes(append(dst, beginMark), s), endMark)
}

func (ch *channel) at(i, j int) float32 { return ch.cells[i*(len(ch.written)+1)+j] }

// slack is how far from the diagonal the cheapest way may lead, beside what the
// lengths differ by.
const slack = 4

// unreachable is the cost of a cell that no way leads to.
const unreachable = math.MaxFloat32

// cost is the cost of written for meant, or something greater than most when it
// is greater than most.
func (ch *channel) cost(meant string, most float32) float32 {
	ch.meant = marked(ch.meant[:0], meant)
	n, m := len(ch.meant), len(ch.written)
	ch.cells = slices.Grow(ch.cells[:0], (n+1)*(m+1))[:(n+1)*(m+1)]
	for i := range ch.cells {
		ch.cells[i] = unreachable
	}
	ch.cells[0] = 0
	down, up := max(n-m, 0)+slack, max(m-n, 0)+slack
	var least [maxPiece]float32 // of the last rows: each way leads through one of them
	for i := 1; i <= n; i++ {
		row := float32(unreachable)
		for j := max(1, i-down); j <= min(m, i+up); j++ {
			d, _, _ := ch.cell(i, j)
			ch.cells[i*(m+1)+j] = d
			row = min(row, d)
		}
		least[i%maxPiece] = row
		if lowest := slices.Min(least[:]); i >= maxPiece && lowest > most {
			return lowest
		}
	}
	return ch.cells[len(ch.cells)-1]
}

// cell is the cost of the first i runes of meant and the first j of written, and
// the cell that the cheapest way comes from.
func (ch *channel) cell(i, j int) (best float32, k, l int) {
	a, b := ch.meant[i-1], ch.written[j-1]
	best, k, l = unreachable, i-1, j-1
	if a == b {
		if best = ch.at(i-1, j-1); best == 0 {
			return best, k, l
		}
	}
	class := int(a % classes)
	for _, group := range ch.groups[ch.ends[j-1]:ch.ends[j]] {
		rules := group.rules[group.starts[class]:group.starts[class+1]]
		for n := range rules {
			r := &rules[n]
			size := int(r.size)
			if size > i || r.meant[0] != ch.meant[i-size] || size > 2 && !slices.Equal(r.meant[1:size-1], ch.meant[i-size+1:i-1]) || r.meant[size-1] != a {
				continue
			}
			if d := ch.at(i-size, j-group.size) + r.cost; d < best {
				best, k, l = d, i-size, j-group.size
			}
		}
	}
	p := &ch.costs.plain
	moreA, moreB := 1 < i && i < len(ch.meant), 1 < j && j < len(ch.written)
	first := float32(0) // what it costs more at the beginning
	if i <= 2 && j <= 2 {
		first = float32(p.First)
	}
	if moreA {
		d := float32(p.Delete)
		if a == ch.meant[i-2] {
			d = min(d, float32(p.Double))
		}
		if d += ch.at(i-1, j) + first; d < best {
			best, k, l = d, i-1, j
		}
	}
	if moreB {
		d := float32(p.Insert)
		if b == ch.written[j-2] {
			d = min(d, float32(p.Double))
		}
		if d += ch.at(i, j-1) + first; d < best {
			best, k, l = d, i, j-1
		}
	}
	if moreA && moreB && a != b {
		if d := ch.at(i-1, j-1) + float32(p.Replace) + first; d < best {
			best, k, l = d, i-1, j-1
		}
		if i > 2 && j > 2 && a == ch.written[j-2] && b == ch.meant[i-2] {
			if d := ch.at(i-2, j-2) + float32(p.Swap); d < best {
				best, k, l = d, i-2, j-2
			}
		}
	}
	return best, k, l
}
