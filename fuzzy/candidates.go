package fuzzy

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"unicode/utf8"
)

// candidate is a word of the vocabulary that may be meant.
type candidate struct {
	word     int
	distance int     // of OSA
	sound    uint8   // alike, nearly alike, or other
	cost     float32 // less is likelier: first roughly, then as the channel says
	error    float32 // what the channel says
}

const (
	otherSound = iota
	nearSound
	sameSound
)

// What stands in for the channel when the candidates are too many to ask it about
// all: the likeliest of them are likely so, too.
const (
	roughEdit      = 5
	roughFirst     = 3 // the first letter is other: people rarely get it wrong
	roughNearSound = -1
	roughSameSound = -5
	roughTop       = 40
)

// gainSound is what it is worth that a word sounds as what was written.
const gainSound = 2

// priorShare is the share of the logarithm of its frequency that counts for a word.
// Frequencies of a collection say less about what is looked for than they claim.
const priorShare = 0.8

// gathering is the work of one Suggest, with what is worth keeping for the next.
type gathering struct {
	words   *QGrams
	lookup  lookup
	pattern pattern
	channel channel
	list    []candidate
	places  []uint32 // where in list a word is, if it is there
}

var gatherings = sync.Pool{New: func() any { return new(gathering) }}

// candidates gathers the words that may be meant by word, at most limit, all when
// it is negative, likeliest first. They stay valid until the gathering is used again.
func (g *gathering) candidates(s *Speller, word string, limit int) []candidate {
	g.words, g.list = s.Words, g.list[:0]
	size := utf8.RuneCountInString(word)
	if size == 0 || size > wordBits {
		return nil
	}
	if len(g.places) < g.words.Len() {
		g.places = make([]uint32, g.words.Len())
	}
	g.pattern.compile([]rune(word))
	near := g.byDistance(word, size)
	g.bySound(s.Sounds, word, size, near)
	g.roughly(word)
	g.channel.compile(s.costs(), word)
	return g.exactly(limit)
}

// byDistance adds the words within two edits, in words of two letters one, or the
// nearest where there are none so near.
// It reports whether one is one edit away.
func (g *gathering) byDistance(word string, size int) (near bool) {
	for dist := min(2, size-1); dist <= max(min(2, size-1), min(4, size/2)); dist++ {
		found := g.lookup.run(g.words, word, dist, false)
		for _, f := range found {
			if f.dist > 0 {
				g.add(f.word, f.dist)
				near = near || f.dist == 1
			}
		}
		if len(g.list) > 0 {
			break
		}
	}
	return near
}

// soundReach is how many edits apart words that sound nearly alike may be.
const soundReach = 4

// bySound adds the words with the same key, and unless there are near ones those
// whose key is one edit away.
func (g *gathering) bySound(sounds *Sounds, word string, size int, near bool) {
	if sounds == nil || sounds.dictionary != g.words {
		return
	}
	key := sounds.key(word)
	if key == "" {
		return
	}
	dist := 0
	if len(key) > 2 && !near {
		dist = 1
	}
	letters := lettersOf(word)
	for _, f := range g.lookup.run(sounds.keys, key, dist, false) {
		sound := uint8(sameSound)
		if f.dist > 0 {
			sound = nearSound
		}
		for _, w := range sounds.of(f.word) {
			i := int(w)
			own := g.words.letters[i]
			if letters.without(own) > soundReach || own.without(letters) > soundReach {
				continue
			}
			n := g.words.words.size(i)
			d := g.pattern.distance(g.words.words.word(i), n, soundReach, false, true)
			if d > 0 && d <= soundReach && d < max(size, n) {
				g.add(i, d).sound = sound
			}
		}
	}
}

// add adds a word unless it is there.
func (g *gathering) add(word, distance int) *candidate {
	at := g.places[word]
	if int(at) >= len(g.list) || g.list[at].word != word {
		at = uint32(len(g.list))
		g.places[word] = at
		g.list = append(g.list, candidate{word: word, distance: distance})
	}
	return &g.list[at]
}

// roughly leaves the candidates that are worth asking the channel about, the
// likeliest first.
func (g *gathering) roughly(word string) {
	first, _ := utf8.DecodeRuneInString(word)
	for i := range g.list {
		c := &g.list[i]
		cost := roughEdit*float64(c.distance) - priorShare*roughLog(1+g.words.words.weights[c.word])
		if r, _ := utf8.DecodeRuneInString(g.words.words.word(c.word)); r != first {
			cost += roughFirst
		}
		switch c.sound {
		case sameSound:
			cost += roughSameSound
		case nearSound:
			cost += roughNearSound
		}
		c.cost = float32(cost)
	}
	if len(g.list) > roughTop {
		g.list = best(g.list, roughTop, likelier)
	} else {
		slices.SortFunc(g.list, likelier)
	}
}

// roughLog is the natural logarithm of x to a few hundredths; x is positive.
func roughLog(x float64) float64 {
	bits := math.Float64bits(x)
	return (float64(bits>>52) - 1023 + float64(bits&(1<<52-1))/(1<<52)) * math.Ln2
}

func likelier(a, b candidate) int {
	return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.word, b.word))
}

// exactly puts the candidates in order of what the channel says. Those that cannot
// be among the first limit are not looked at to their end.
func (g *gathering) exactly(limit int) []candidate {
	kept := g.list[:0]
	for _, c := range g.list {
		gain := priorShare * float32(math.Log1p(max(g.words.words.weights[c.word], 0)))
		if c.sound == sameSound {
			gain += gainSound
		}
		most := float32(unreachable)
		if limit > 0 && len(kept) >= limit {
			most = kept[limit-1].cost + gain
		}
		c.error = g.channel.cost(g.words.words.word(c.word), most)
		if c.error > most {
			continue
		}
		c.cost = c.error - gain
		at, _ := slices.BinarySearchFunc(kept, c, likelier)
		kept = slices.Insert(kept, at, c)
		if limit > 0 && len(kept) > limit {
			kept = kept[:limit]
		}
	}
	return kept
}
