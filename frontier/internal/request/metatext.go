package request

import (
	"encoding/binary"
	"strings"
)

// Bounds of what a request has.
const (
	MaxText       = 64 << 10 // bytes of a URL, a Via or a Label
	MaxVariant    = 256      // bytes of a Variant
	MaxMeta       = 32 << 10 // bytes of a Meta
	MaxMetaValues = 64       // values of it
	MaxMetaKey    = 64       // bytes of a key
)

// CheckKey says what is wrong with a key.
func CheckKey(key string) (msg string) {
	for part := range strings.SplitSeq(key, ".") {
		if part == "" {
			return "no name, or nothing before or behind a dot"
		}
		for i := range len(part) {
			if c := part[i]; !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
				return "other characters than letters of ASCII, 0 to 9, - and _"
			}
		}
	}
	return ""
}

// IsMeta reports whether bytes are those of a Meta that a frontier keeps.
func IsMeta[T string | []byte](text T) bool {
	if len(text) == 0 {
		return true
	}
	n, s, ok := cutCount(string(text), MaxMetaValues)
	if !ok || n == 0 || len(text) > MaxMeta {
		return false
	}
	before := ""
	for i := range 2 * n {
		size, rest, ok := cutCount(s, len(s))
		if !ok || size == 0 || size > len(rest) {
			return false
		}
		if part := rest[:size]; i < n {
			if part <= before || len(part) > MaxMetaKey || CheckKey(part) != "" {
				return false
			}
			before = part
		}
		s = rest[size:]
	}
	return s == ""
}

// cutCount reads a varint, written as short as can be, that is at most limit.
func cutCount(s string, limit int) (n int, rest string, ok bool) {
	v, w := binary.Uvarint([]byte(s[:min(len(s), binary.MaxVarintLen64)]))
	if w <= 0 || v > uint64(limit) || w > 1 && s[w-1] == 0 {
		return 0, "", false
	}
	return int(v), s[w:], true
}

// CutVarint reads a varint of a Meta.
func CutVarint(s string) (n int, rest string) {
	shift := 0
	for i := range len(s) {
		n |= int(s[i]&0x7f) << shift
		if s[i] < 0x80 {
			return n, s[i+1:]
		}
		shift += 7
	}
	return 0, ""
}

// CutString reads a size and so many bytes of a Meta.
func CutString(s string) (text, rest string) {
	n, s := CutVarint(s)
	return s[:n], s[n:]
}
