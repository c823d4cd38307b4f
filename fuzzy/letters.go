package fuzzy

import "math/bits"

// letters is a summary of the runes of a string: rune r sets bit r mod 32, and
// a second one of the same bit sets the bit 32 places up. The letters of one
// alphabet lie together in Unicode, so they mostly have bits of their own.
//
// An edit takes away at most one rune and brings in at most one, a swap
// neither. So it clears at most one bit and sets at most one: strings within k
// edits differ by at most k bits each way.
type letters uint64

// allLetters is how many bits there are.
const allLetters = 64

func lettersOf(s string) letters {
	var once, twice uint32
	for _, r := range s {
		bit := uint32(1) << (r & 31)
		twice |= once & bit
		once |= bit
	}
	return letters(uint64(twice)<<32 | uint64(once))
}

// without counts the bits of l that other lacks.
func (l letters) without(other letters) int { return bits.OnesCount64(uint64(l &^ other)) }
