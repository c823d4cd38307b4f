package robots

import "strings"

// robotsPath is where robots.txt is, which nobody can forbid.
const robotsPath = "/robots.txt"

// Patterns and paths are brought into one form before they are compared (RFC
// 9309, 2.2.2): unreserved characters as themselves, reserved ones as they are
// written, all else as percent-escapes in upper case. A star in a pattern, and
// a dollar sign at its end, keep their meaning; elsewhere both are escaped.
//
// A percent sign that begins no escape is a character as others are, %25. But
// where a pattern breaks off within an escape, at a star or at its end, as in
// /*url% and /*%2*, it means all that may follow there: the percent sign, and
// the one digit that there may be, stay as they are written. In normal form no
// other percent sign is followed by less than two digits.

// target returns path and query of a URL in that form. The URL may lack its
// scheme, or scheme and host.
func target(rawurl string) string {
	rawurl, _, _ = strings.Cut(rawurl, "#")
	if i := strings.IndexAny(rawurl, "/?"); i > 0 && strings.HasPrefix(rawurl[i-1:], "://") {
		rawurl = rawurl[i+2:]
	} else {
		rawurl = strings.TrimPrefix(rawurl, "//")
	}
	i := strings.IndexAny(rawurl, "/?")
	if i < 0 {
		return "/"
	}
	rawurl = rawurl[i:]
	var b strings.Builder
	b.Grow(len(rawurl) + 8)
	if rawurl[0] == '?' {
		b.WriteByte('/')
	}
	normalise(&b, rawurl, false)
	return b.String()
}

// normalPattern returns a pattern in normal form, and its length in octets.
// Stars in a row are one, a star at the end is none; they count all the same.
func normalPattern(value string) (pattern string, octets int) {
	if isNormal(value) { // as most are
		return value, len(value)
	}
	var b strings.Builder
	octets = normalise(&b, value, true)
	pattern = strings.TrimRight(b.String(), "*")
	if strings.Contains(pattern, "**") {
		stars := strings.FieldsFunc(pattern, func(r rune) bool { return r == '*' })
		joined := strings.Join(stars, "*")
		if pattern[0] == '*' {
			joined = "*" + joined
		}
		pattern = joined
	}
	return pattern, octets
}

// isNormal reports whether a pattern is in normal form and has no star.
func isNormal(value string) bool {
	for i := range len(value) {
		if c := value[i]; !unreserved(c) && !reserved(c) && (c != '$' || i < len(value)-1) {
			return false
		}
	}
	return true
}

// normalise writes s in normal form and returns how many octets it counts:
// characters that only the comparison needs escaped count one.
func normalise(b *strings.Builder, s string, pattern bool) (octets int) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		octets++
		switch {
		case c == '%' && i+2 < len(s) && hex(s[i+1]) && hex(s[i+2]):
			if c = unhex(s[i+1])<<4 | unhex(s[i+2]); unreserved(c) {
				b.WriteByte(c)
			} else {
				escape(b, c)
				octets += 2
			}
			i += 2
		case c == '%' && pattern && cutEscape(s[i+1:]):
			b.WriteByte(c)
		case unreserved(c), reserved(c), pattern && (c == '*' || c == '$' && i == len(s)-1):
			b.WriteByte(c)
		case c >= 0x80:
			octets += 2
			escape(b, c)
		default:
			escape(b, c)
		}
	}
	return octets
}

// cutEscape reports whether what follows a percent sign in a pattern makes it an
// escape that breaks off: at most one digit before a star or the end.
func cutEscape(after string) bool {
	if after != "" && hex(after[0]) {
		after = after[1:]
	}
	return after == "" || after[0] == '*'
}

func escape(b *strings.Builder, c byte) {
	const digits = "0123456789ABCDEF"
	b.WriteByte('%')
	b.WriteByte(digits[c>>4])
	b.WriteByte(digits[c&15])
}

func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '-' || c == '.' || c == '_' || c == '~'
}

// reserved is without star and dollar sign, which are special here.
func reserved(c byte) bool { return strings.IndexByte(":/?#[]@!&'()+,;=", c) >= 0 }

func hex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

// match reports whether a normal pattern matches the start of a target. Each
// part between stars is taken where it ends first, so time is linear.
func match(pattern, target string) bool {
	part, rest, more := strings.Cut(pattern, "*")
	if whole, ok := strings.CutSuffix(part, "$"); ok && !more {
		return target == whole
	}
	end := -1
	for _, p := range spellings(part) {
		if strings.HasPrefix(target, p) {
			end = len(p)
			break
		}
	}
	for end >= 0 && more {
		target = target[end:]
		part, rest, more = strings.Cut(rest, "*")
		if last, ok := strings.CutSuffix(part, "$"); ok && !more {
			return strings.HasSuffix(target, last)
		}
		end = -1
		for _, p := range spellings(part) {
			if i := strings.Index(target, p); i >= 0 && (end < 0 || i+len(p) < end) {
				end = i + len(p)
			}
		}
	}
	return end >= 0
}

// spellings returns what a part of a pattern between stars may look like in a
// target: itself, and where it breaks off behind the first digit of an escape,
// as in %3, the start of that escape or a percent sign and a character.
func spellings(part string) []string {
	if !cutDigit(part) {
		return []string{part}
	}
	before, digit := part[:len(part)-1], part[len(part)-1:]
	return []string{before + strings.ToUpper(digit), before + "25" + digit}
}

// cutDigit reports whether a part of a normal pattern breaks off behind the
// first digit of an escape.
func cutDigit(part string) bool { return len(part) > 1 && part[len(part)-2] == '%' }
