package fuzzy

import (
	"slices"
	"strings"
	"unicode"
)

// LCS is the length, in runes, of the longest common subsequence of a and b: of
// the runes that stand in both in the same order, not necessarily side by side.
// It takes time in proportion to the product of the lengths by 64.
func LCS(a, b string) int { return lcs([]rune(a), []rune(b)) }

// lcs keeps a column of the table in machine words: a bit is zero where the
// column steps up (Hyyrö, 2004).
func lcs(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	words := (len(a) + wordBits - 1) / wordBits
	at := map[rune][]uint64{}
	for i, r := range a {
		if at[r] == nil {
			at[r] = make([]uint64, words)
		}
		at[r][i/wordBits] |= 1 << (i % wordBits)
	}
	column := make([]uint64, words)
	for i := range column {
		column[i] = ^uint64(0)
	}
	for _, r := range b {
		bits := at[r]
		if bits == nil {
			continue
		}
		var carry uint64
		for i, v := range column {
			u := v & bits[i]
			sum := v + u
			over := sum < v
			sum += carry
			if over || sum < carry {
				carry = 1
			} else {
				carry = 0
			}
			column[i] = sum | v&^bits[i]
		}
	}
	n := 0
	for i := range a {
		if column[i/wordBits]>>(i%wordBits)&1 == 0 {
			n++
		}
	}
	return n
}

// Ratio is the share of the runes of both strings that belong to their longest
// common subsequence: 1 for equal strings, 0 for those without a common rune.
// It is one less the share of runes to insert and delete.
func Ratio(a, b string) float64 { return ratio([]rune(a), []rune(b)) }

func ratio(a, b []rune) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	return 2 * float64(lcs(a, b)) / float64(len(a)+len(b))
}

// Jaro is the similarity of Jaro (1989), from 0 to 1: runes count as common that
// are equal and not farther apart than half the longer string, and half as much
// where they come in another order. It suits short names.
func Jaro(a, b string) float64 { return jaro([]rune(a), []rune(b)) }

func jaro(a, b []rune) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	reach := max(max(len(a), len(b))/2-1, 0)
	taken := make([]bool, len(b))
	var common []rune // of a, in its order
	for i, r := range a {
		for j := max(0, i-reach); j < min(len(b), i+reach+1); j++ {
			if b[j] == r && !taken[j] {
				taken[j] = true
				common = append(common, r)
				break
			}
		}
	}
	if len(common) == 0 {
		return 0
	}
	n, crossed := 0, 0
	for j, r := range b {
		if taken[j] {
			if common[n] != r {
				crossed++
			}
			n++
		}
	}
	m := float64(n)
	return (m/float64(len(a)) + m/float64(len(b)) + (m-float64(crossed/2))/m) / 3
}

// JaroWinkler is [Jaro] raised for strings that begin alike (Winkler, 1990): by a
// tenth of what is missing from 1 for each of the first four runes, where it is
// above 0.7.
func JaroWinkler(a, b string) float64 {
	ra, rb := []rune(a), []rune(b)
	sim := jaro(ra, rb)
	if sim <= 0.7 {
		return sim
	}
	same := 0
	for same < min(len(ra), len(rb), 4) && ra[same] == rb[same] {
		same++
	}
	return sim + float64(same)*0.1*(1-sim)
}

// TokenSort is the [Ratio] of a and b with the words of each in alphabetical
// order, so that their order makes no difference. Words are parted by space.
func TokenSort(a, b string) float64 {
	return Ratio(strings.Join(sortedTokens(a), " "), strings.Join(sortedTokens(b), " "))
}

// TokenSet compares the sets of words of a and b: those in both, and what each
// has beside them. It is the greatest [Ratio] of the common words, alone, with
// the rest of a, and with the rest of b, hence 1 where one has all words of the
// other, and 0 when one has no word.
func TokenSet(a, b string) float64 {
	return tokenSet(slices.Compact(sortedTokens(a)), slices.Compact(sortedTokens(b)))
}

// tokenSet is TokenSet of words in order, each once.
func tokenSet(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	var both, onlyA, onlyB []string
	for len(a) > 0 && len(b) > 0 {
		switch strings.Compare(a[0], b[0]) {
		case -1:
			onlyA, a = append(onlyA, a[0]), a[1:]
		case 1:
			onlyB, b = append(onlyB, b[0]), b[1:]
		default:
			both, a, b = append(both, a[0]), a[1:], b[1:]
		}
	}
	onlyA, onlyB = append(onlyA, a...), append(onlyB, b...)
	if len(both) > 0 && (len(onlyA) == 0 || len(onlyB) == 0) {
		return 1
	}
	restA, restB := []rune(strings.Join(onlyA, " ")), []rune(strings.Join(onlyB, " "))
	if len(both) == 0 {
		return ratio(restA, restB)
	}
	// The common words and a space begin both strings, so only the rests differ.
	common := len([]rune(strings.Join(both, " ")))
	longA, longB := common+1+len(restA), common+1+len(restB)
	return max(
		2*float64(common)/float64(common+longA),
		2*float64(common)/float64(common+longB),
		2*float64(common+1+lcs(restA, restB))/float64(longA+longB),
	)
}

func sortedTokens(s string) []string {
	tokens := strings.Fields(s)
	slices.Sort(tokens)
	return tokens
}

// Trigrams is the share of the three-rune pieces of the words of a and b that both
// have, from 0 to 1: the Jaccard similarity of their sets. Each word begins with
// two blanks more and ends with one, so its beginning counts for more than its
// end, and the order of words makes no difference. Only letters and digits belong
// to words. Characters of scripts without blanks between words, such as Chinese, count
// by themselves and in pairs. It is 0 when one has no letter or digit. For other scripts it is the similarity
// of PostgreSQL's pg_trgm, but for case: put strings through [Fold] first.
func Trigrams(a, b string) float64 {
	ga, gb := wordGrams(nil, a), wordGrams(nil, b)
	if len(ga)+len(gb) == 0 {
		return 0
	}
	return jaccard(len(ga), len(gb), shared(ga, gb))
}

// jaccard is the similarity of sets of so many members.
func jaccard(a, b, both int) float64 { return float64(both) / float64(a+b-both) }

// shared counts the grams in both of two ascending lists.
func shared(a, b []gram) int {
	n := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			n++
			a, b = a[1:], b[1:]
		}
	}
	return n
}

// wordGrams appends the distinct grams of the words of s to dst, which is empty.
func wordGrams(dst []gram, s string) []gram {
	const mask = 1<<(q*runeSize) - 1
	blank := gram(' ')<<runeSize | ' '
	g, within := blank, false
	end := func() {
		if within {
			dst = append(dst, (g<<runeSize|' ')&mask)
			g, within = blank, false
		}
	}
	before := rune(0) // of a script without blanks
	for _, r := range s {
		switch {
		case isUnspaced(r):
			end()
			if dst = append(dst, gram(r)); before != 0 {
				dst = append(dst, gram(before)<<runeSize|gram(r))
			}
			before = r
			continue
		case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r):
			g, within = (g<<runeSize|gram(r))&mask, true
			dst = append(dst, g)
		default:
			end()
		}
		before = 0
	}
	end()
	slices.Sort(dst)
	return slices.Compact(dst)
}
