package content

import (
	"bytes"
	"strconv"
)

// operand is an operand of a drawing instruction.
type operand struct {
	kind operandKind
	num  float64
	str  string // of a string or a name
	list []operand
}

type operandKind uint8

const (
	otherOperand operandKind = iota
	numberOperand
	stringOperand
	nameOperand
	listOperand
)

const (
	mostOperands = 64 // of one instruction; the first are forgotten
	deepestList  = 4
)

// content reads the drawing instructions of a page (ISO 32000, 7.8.2). It takes
// anything: what it cannot read it passes over.
type content struct{ b []byte }

// next returns the next instruction. An empty one is the end.
func (c *content) next() (op string, args []operand) {
	for {
		o, word, ok := c.token(0)
		switch {
		case !ok:
			return "", nil
		case word == "":
			if len(args) == mostOperands {
				args = append(args[:0], args[1:]...)
			}
			args = append(args, o)
		case word == "BI":
			c.skipImage()
			args = args[:0]
		default:
			return word, args
		}
	}
}

// token returns an operand or a word, and false at the end.
func (c *content) token(depth int) (o operand, word string, ok bool) {
	c.skipSpace()
	if len(c.b) == 0 {
		return o, "", false
	}
	switch first := c.b[0]; {
	case first == '(':
		return operand{kind: stringOperand, str: c.literal()}, "", true
	case bytes.HasPrefix(c.b, []byte("<<")), bytes.HasPrefix(c.b, []byte(">>")):
		c.b = c.b[2:]
		return o, "", true
	case first == '<':
		return operand{kind: stringOperand, str: c.hex()}, "", true
	case first == '/':
		c.b = c.b[1:]
		return operand{kind: nameOperand, str: unescapeName(c.regular())}, "", true
	case first == '[':
		c.b = c.b[1:]
		return operand{kind: listOperand, list: c.list(depth + 1)}, "", true
	case isDelimiter(first):
		c.b = c.b[1:]
		return o, "", true
	}
	s := c.regular()
	if n, err := strconv.ParseFloat(s, 64); err == nil && s[0] < 'A' {
		return operand{kind: numberOperand, num: n}, "", true
	}
	return o, s, true
}

// list reads to the end of an array.
func (c *content) list(depth int) (all []operand) {
	for {
		c.skipSpace()
		if len(c.b) == 0 {
			return all
		}
		if c.b[0] == ']' {
			c.b = c.b[1:]
			return all
		}
		if depth > deepestList {
			c.b = c.b[1:]
			continue
		}
		o, word, ok := c.token(depth)
		if !ok {
			return all
		}
		if word == "" {
			all = append(all, o)
		}
	}
}

func (c *content) skipSpace() {
	for len(c.b) > 0 {
		switch {
		case isBlank(c.b[0]):
			c.b = c.b[1:]
		case c.b[0] == '%':
			c.b = c.b[skipLine(c.b, 0):]
		default:
			return
		}
	}
}

// regular reads a word, which may be empty.
func (c *content) regular() string {
	n := 0
	for n < len(c.b) && !isBlank(c.b[n]) && !isDelimiter(c.b[n]) {
		n++
	}
	s := string(c.b[:n])
	c.b = c.b[n:]
	return s
}

// hex reads a string of hexadecimal digits.
func (c *content) hex() string {
	var out []byte
	high, half := byte(0), false
	i := 1
	for ; i < len(c.b) && c.b[i] != '>'; i++ {
		d, ok := digit(c.b[i])
		switch {
		case !ok:
		case half:
			out, half = append(out, high<<4|d), false
		default:
			high, half = d, true
		}
	}
	if half {
		out = append(out, high<<4)
	}
	c.b = c.b[min(i+1, len(c.b)):]
	return string(out)
}

func digit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// literal reads a string in parentheses.
func (c *content) literal() string {
	var out []byte
	depth, i := 0, 0
	for ; i < len(c.b); i++ {
		ch := c.b[i]
		switch {
		case ch == '\\':
			var part []byte
			part, i = escape(c.b, i+1)
			out = append(out, part...)
			continue
		case ch == '(':
			if depth++; depth == 1 {
				continue
			}
		case ch == ')':
			if depth--; depth == 0 {
				c.b = c.b[i+1:]
				return string(out)
			}
		}
		out = append(out, ch)
	}
	c.b = nil
	return string(out)
}

// escape reads what follows a backslash, and returns where it ends.
func escape(b []byte, i int) (out []byte, last int) {
	if i >= len(b) {
		return nil, i
	}
	switch c := b[i]; c {
	case 'n':
		return []byte("\n"), i
	case 'r':
		return []byte("\r"), i
	case 't':
		return []byte("\t"), i
	case 'b', 'f':
		return nil, i
	case '\r':
		if i+1 < len(b) && b[i+1] == '\n' {
			i++
		}
		return nil, i
	case '\n':
		return nil, i
	}
	end := i
	for end < len(b) && end < i+3 && b[end] >= '0' && b[end] <= '7' {
		end++
	}
	if end == i {
		return b[i : i+1], i
	}
	n, _ := strconv.ParseUint(string(b[i:end]), 8, 16) // of three octal digits
	return []byte{byte(n)}, end - 1
}

// unescapeName replaces the #xx of a name.
func unescapeName(s string) string {
	if !bytes.ContainsRune([]byte(s), '#') {
		return s
	}
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] == '#' && i+2 < len(s) {
			high, ok1 := digit(s[i+1])
			low, ok2 := digit(s[i+2])
			if ok1 && ok2 {
				out = append(out, high<<4|low)
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}

// skipImage skips an image within the instructions.
func (c *content) skipImage() {
	start := bytes.Index(c.b, []byte("ID"))
	if start < 0 {
		c.b = nil
		return
	}
	for i := start + 2; ; {
		n := bytes.Index(c.b[i:], []byte("EI"))
		if n < 0 {
			c.b = nil
			return
		}
		end := i + n
		if isBlank(c.b[end-1]) && (end+2 == len(c.b) || isBlank(c.b[end+2])) {
			c.b = c.b[end+2:]
			return
		}
		i = end + 2
	}
}

func isBlank(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}
