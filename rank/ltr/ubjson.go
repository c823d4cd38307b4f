package ltr

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// maxNesting is how deep values of a UBJSON file may lie in each other.
const maxNesting = 32

// ubjsonToJSON writes a value of UBJSON as JSON. Numbers of 32 bits stay the same when they are read as such. The text is
// no longer than some twenty times what was read.
func ubjsonToJSON(r *bufio.Reader, w writer) error {
	u := &ubjson{r: r, w: w}
	err := u.value(0, 0)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return xgboostError(false, "UBJSON ends too soon")
	}
	return err
}

// writer is what bytes.Buffer is, whose methods return no errors that count.
type writer interface {
	io.Writer
	WriteByte(byte) error
	WriteString(string) (int, error)
}

type ubjson struct {
	r *bufio.Reader
	w writer
}

// value reads a value of a type, 0: the type stands before it.
func (u *ubjson) value(kind byte, depth int) (err error) {
	if kind == 0 {
		if kind, err = u.kind(); err != nil {
			return err
		}
	}
	if depth > maxNesting {
		return xgboostError(false, "UBJSON lies more than %d deep in itself", maxNesting)
	}
	switch kind {
	case '{':
		return u.object(depth)
	case '[':
		return u.array(depth)
	case 'S', 'C':
		n := int64(1)
		if kind == 'S' {
			if n, err = u.length(); err != nil {
				return err
			}
		}
		return u.string(n)
	case 'Z', 'T', 'F':
		_, err = u.w.WriteString(map[byte]string{'Z': "null", 'T': "true", 'F': "false"}[kind])
		return err
	}
	return u.number(kind)
}

// kind reads a type, and leaves out what says nothing.
func (u *ubjson) kind() (byte, error) {
	for {
		if k, err := u.r.ReadByte(); err != nil || k != 'N' {
			return k, err
		}
	}
}

// width is how many bytes a number of a type has; 0: it is no number.
func width(kind byte) int {
	switch kind {
	case 'i', 'U':
		return 1
	case 'I':
		return 2
	case 'l', 'd':
		return 4
	case 'L', 'D':
		return 8
	}
	return 0
}

// bits reads the bytes of a number.
func (u *ubjson) bits(kind byte) (uint64, error) {
	n := width(kind)
	if n == 0 {
		return 0, xgboostError(false, "UBJSON has a value of the type %q", kind)
	}
	var b [8]byte
	if _, err := io.ReadFull(u.r, b[8-n:]); err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint64(b[:]), nil
}

// integer makes a number of the bits.
func integer(kind byte, bits uint64) int64 {
	switch kind {
	case 'i':
		return int64(int8(bits))
	case 'I':
		return int64(int16(bits))
	case 'l':
		return int64(int32(bits))
	}
	return int64(bits)
}

func (u *ubjson) number(kind byte) error {
	bits, err := u.bits(kind)
	if err != nil {
		return err
	}
	var room [32]byte
	var text []byte
	switch kind {
	case 'd', 'D':
		size, v := 64, math.Float64frombits(bits)
		if kind == 'd' {
			size, v = 32, float64(math.Float32frombits(uint32(bits)))
		}
		if v != v || math.IsInf(v, 0) {
			return xgboostError(false, "UBJSON has the number %v", v)
		}
		text = strconv.AppendFloat(room[:0], v, 'g', -1, size)
	default:
		text = strconv.AppendInt(room[:0], integer(kind, bits), 10)
	}
	_, err = u.w.Write(text)
	return err
}

// length reads a length or a count with its type.
func (u *ubjson) length() (int64, error) {
	kind, err := u.r.ReadByte()
	if err != nil {
		return 0, err
	}
	if kind == 'd' || kind == 'D' {
		return 0, xgboostError(false, "UBJSON has a length of the type %q", kind)
	}
	bits, err := u.bits(kind)
	if err != nil {
		return 0, err
	}
	n := integer(kind, bits)
	if n < 0 {
		return 0, xgboostError(false, "UBJSON has the length %d", n)
	}
	return n, nil
}

// string reads a text of n bytes.
func (u *ubjson) string(n int64) error {
	const most = 1 << 20
	if n > most {
		return xgboostError(false, "UBJSON has a text of %d bytes, of at most %d", n, most)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(u.r, text); err != nil {
		return err
	}
	quoted, err := json.Marshal(string(text))
	if err != nil {
		return fmt.Errorf("ltr: %w", err)
	}
	_, err = u.w.Write(quoted)
	return err
}

// container reads the type and the count that an array or an object may have; count -1: up to the end sign.
func (u *ubjson) container() (kind byte, count int64, err error) {
	next, err := u.r.Peek(1)
	if err != nil {
		return 0, 0, err
	}
	if next[0] == '$' {
		_, _ = u.r.Discard(1)
		if kind, err = u.r.ReadByte(); err != nil {
			return 0, 0, err
		}
		if width(kind) == 0 { // those that take no bytes could be any number
			return 0, 0, xgboostError(false, "UBJSON has a list of the type %q", kind)
		}
		if next, err = u.r.Peek(1); err != nil {
			return 0, 0, err
		}
		if next[0] != '#' {
			return 0, 0, xgboostError(false, "UBJSON has a type without a count")
		}
	}
	if next[0] != '#' {
		return 0, -1, nil
	}
	_, _ = u.r.Discard(1)
	count, err = u.length()
	return kind, count, err
}

// more reports whether another element comes, and reads the end sign if not.
func (u *ubjson) more(i, count int64, end byte) (bool, error) {
	if count >= 0 {
		return i < count, nil
	}
	for {
		next, err := u.r.Peek(1)
		if err != nil {
			return false, err
		}
		if next[0] != end && next[0] != 'N' {
			return true, nil
		}
		_, _ = u.r.Discard(1)
		if next[0] == end {
			return false, nil
		}
	}
}

func (u *ubjson) array(depth int) error {
	return u.elements(depth, '[', ']', func() error { return nil })
}

func (u *ubjson) object(depth int) error {
	return u.elements(depth, '{', '}', func() error {
		n, err := u.length()
		if err == nil {
			err = u.string(n)
		}
		if err == nil {
			err = u.w.WriteByte(':')
		}
		return err
	})
}

// elements reads what an array or an object holds.
func (u *ubjson) elements(depth int, begin, end byte, before func() error) error {
	kind, count, err := u.container()
	if err != nil {
		return err
	}
	if err := u.w.WriteByte(begin); err != nil {
		return err
	}
	for i := int64(0); ; i++ {
		more, err := u.more(i, count, end)
		if err != nil {
			return err
		}
		if !more {
			return u.w.WriteByte(end)
		}
		if i > 0 {
			if err := u.w.WriteByte(','); err != nil {
				return err
			}
		}
		if err := before(); err != nil {
			return err
		}
		if err := u.value(kind, depth+1); err != nil {
			return err
		}
	}
}
