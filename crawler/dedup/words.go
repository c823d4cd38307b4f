package dedup

import (
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// eachWord calls yield with a hash of each word of a text: a run of letters and
// digits in lower case. Characters of scripts that part no words are words by
// themselves. What stands between words does not count.
func eachWord(text string, yield func(hash uint64)) {
	h, open := uint64(seed), false
	end := func() {
		if open {
			yield(mix(h))
			h, open = seed, false
		}
	}
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
				h, open = (h^uint64(c))*prime, true
			case c >= 'A' && c <= 'Z':
				h, open = (h^uint64(c|0x20))*prime, true
			default:
				end()
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			end()
			h, open = (h^uint64(r))*prime, true
			end()
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			h, open = (h^uint64(unicode.ToLower(r)))*prime, true
		default:
			end()
		}
	}
	end()
}

// FNV-1a (Fowler, Noll, Vo), and a finalizer that spreads its bits.
const (
	seed  = 0xcbf29ce484222325
	prime = 0x100000001b3
)

func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// hashText is the hash of a string as it stands.
func hashText(s string) uint64 {
	h := uint64(seed)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * prime
	}
	return mix(h)
}

// next adds a word's hash to that of the words before it.
func next(h, word uint64) uint64 { return mix(bits.RotateLeft64(h, 23) ^ word*0x9e3779b97f4a7c15) }
