package fuzzy

import "github.com/webquarry/quarry/internal/fold"

// Fold takes away what people leave out when they type: case, the difference
// between forms of one character, and accents, where they may be left out:
// those of Latin and Greek, the vowel points of Arabic and Hebrew, the stress
// marks of Cyrillic (й is not и, but ё is е). "Naïve", "NAIVE" and "naive" fold to the
// same string, and so do "cœur" and "coeur", "Łódź" and "lodz", "١٢٣" and "123". Fold the
// words of a dictionary and what is looked up in it, and such differences are no edits.
// Terms of an index are folded in the same way. Bytes that are not UTF-8 become blanks.
func Fold(s string) string { return fold.String(s) }
