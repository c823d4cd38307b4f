package request

import (
	"encoding/binary"
	"errors"
	"math"
	"net/netip"
)

// A request is written as what differs from the request before it in the same
// record, or from an empty one at the start of a record. [v] is an unsigned
// varint, [8] is little-endian:
//
//	flags    [1]  which of the fields below follow: 1 via, 2 label, 4 priority,
//	              8 due, 16 depth, 32 hops and attempt, 64 variant and meta; the others
//	              are as before
//	url           text, after the request before
//	via           text, after the via of the request before; if that is empty,
//	              after this request's own URL
//	label         text, after the label before
//	priority [8]  bits of an IEEE 754 double
//	due      [8]  nanoseconds since 1970; 0: now
//	depth    [v]
//	hops     [v]
//	attempt  [v]
//	variant       text, after the variant before
//	meta          text, after the meta before; see frontier.Meta
//
// A text is written after another as
//
//	shared [v]  bytes that both begin with
//	size   [v]  bytes that follow
//	rest   [size]
//
// Two links at depth 1 of http://a.example/, namely http://a.example/b and then
// http://a.example/c, are the bytes
//
//	11 | 00 12 68 74 74 70 3a 2f 2f 61 2e 65 78 61 6d 70 6c 65 2f 62 | 11 00 | 01
//	00 | 11 01 63
const (
	hasVia = 1 << iota
	hasLabel
	hasPriority
	hasDue
	hasDepth
	hasTries
	hasMeta
	allFlags = 1<<iota - 1
)

// Request is a request with all that it is written with.
type Request struct {
	URL, Via, Label, Variant string
	Meta                     string // as it is written, see frontier.Meta
	Depth, Hops, Attempt     int
	Priority                 float64
	Due                      int64 // nanoseconds since 1970; 0: now
}

// Append appends r as it is written after before.
func Append(b []byte, r, before *Request) []byte {
	at := len(b)
	b = append(b, 0)
	flags := byte(0)
	b = AppendText(b, r.URL, before.URL)
	if r.Via != before.Via {
		flags |= hasVia
		b = AppendText(b, r.Via, viaReference(r.URL, before.Via))
	}
	if r.Label != before.Label {
		flags |= hasLabel
		b = AppendText(b, r.Label, before.Label)
	}
	if r.Priority != before.Priority {
		flags |= hasPriority
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(r.Priority))
	}
	if r.Due != before.Due {
		flags |= hasDue
		b = binary.LittleEndian.AppendUint64(b, uint64(r.Due))
	}
	if r.Depth != before.Depth {
		flags |= hasDepth
		b = binary.AppendUvarint(b, uint64(r.Depth))
	}
	if r.Hops != before.Hops || r.Attempt != before.Attempt {
		flags |= hasTries
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(r.Hops)), uint64(r.Attempt))
	}
	if r.Variant != before.Variant || r.Meta != before.Meta {
		flags |= hasMeta
		b = AppendText(b, r.Variant, before.Variant)
		b = AppendText(b, r.Meta, before.Meta)
	}
	b[at] = flags
	return b
}

func viaReference(url, before string) string {
	if before == "" {
		return url
	}
	return before
}

// AppendText appends a text as it is written after the one before.
func AppendText(b []byte, text, before string) []byte {
	n := 0
	for n < len(text) && n < len(before) && text[n] == before[n] {
		n++
	}
	b = binary.AppendUvarint(b, uint64(n))
	b = binary.AppendUvarint(b, uint64(len(text)-n))
	return append(b, text[n:]...)
}

// ErrRecord says that what was read cannot have been written.
var ErrRecord = errors.New("record does not make sense")

// Decoder reads fields off the front of b. After something that cannot be right
// it reads zeros and Bad is true.
type Decoder struct {
	B   []byte
	Bad bool
}

// Fail says that what was read cannot be right.
func (d *Decoder) Fail() {
	d.B, d.Bad = nil, true
}

// Byte reads a byte.
func (d *Decoder) Byte() byte {
	if len(d.B) == 0 {
		d.Fail()
		return 0
	}
	c := d.B[0]
	d.B = d.B[1:]
	return c
}

// Uint64 reads 8 bytes, little-endian.
func (d *Decoder) Uint64() uint64 {
	if len(d.B) < 8 {
		d.Fail()
		return 0
	}
	n := binary.LittleEndian.Uint64(d.B)
	d.B = d.B[8:]
	return n
}

// Uint32 reads 4 bytes, little-endian.
func (d *Decoder) Uint32() uint32 {
	if len(d.B) < 4 {
		d.Fail()
		return 0
	}
	n := binary.LittleEndian.Uint32(d.B)
	d.B = d.B[4:]
	return n
}

// Time reads nanoseconds, which are never negative.
func (d *Decoder) Time() int64 {
	n := d.Uint64()
	if n > math.MaxInt64 {
		d.Fail()
		return 0
	}
	return int64(n)
}

// Count reads a varint that is at most limit.
func (d *Decoder) Count(limit uint64) int {
	n, w := binary.Uvarint(d.B)
	if w <= 0 || n > limit {
		d.Fail()
		return 0
	}
	d.B = d.B[w:]
	return int(n)
}

// Text reads a text that was written after the one before.
func (d *Decoder) Text(before string) string {
	shared := d.Count(uint64(len(before)))
	size := d.Count(MaxText)
	if d.Bad || size > len(d.B) {
		d.Fail()
		return ""
	}
	rest := d.B[:size]
	d.B = d.B[size:]
	if size == 0 && shared == len(before) {
		return before
	}
	return before[:shared] + string(rest)
}

// Addr reads an address: its length [1], and so many bytes.
func (d *Decoder) Addr() netip.Addr {
	n := int(d.Byte())
	if n > len(d.B) || n != 0 && n != 4 && n != 16 {
		d.Fail()
		return netip.Addr{}
	}
	addr, _ := netip.AddrFromSlice(d.B[:n])
	d.B = d.B[n:]
	return addr
}

// Rank reads a rank: its key [8] and the order of queueing [v].
func (d *Decoder) Rank() Rank { return Rank{d.Uint64(), uint64(d.Count(math.MaxInt))} }

// Request reads what Append wrote after the same request before.
func (d *Decoder) Request(before *Request) Request {
	r := *before
	flags := d.Byte()
	if flags > allFlags {
		d.Fail()
	}
	r.URL = d.Text(before.URL)
	if flags&hasVia != 0 {
		r.Via = d.Text(viaReference(r.URL, before.Via))
	}
	if flags&hasLabel != 0 {
		r.Label = d.Text(before.Label)
	}
	if flags&hasPriority != 0 {
		r.Priority = math.Float64frombits(d.Uint64())
		if math.IsNaN(r.Priority) {
			d.Fail()
		}
	}
	if flags&hasDue != 0 {
		r.Due = d.Time()
	}
	if flags&hasDepth != 0 {
		r.Depth = d.Count(math.MaxInt32)
	}
	if flags&hasTries != 0 {
		r.Hops, r.Attempt = d.Count(math.MaxInt32), d.Count(math.MaxInt32)
	}
	if flags&hasMeta != 0 {
		r.Variant, r.Meta = d.Text(before.Variant), d.Text(before.Meta)
		if len(r.Variant) > MaxVariant || !IsMeta(r.Meta) {
			d.Fail()
			r.Meta = ""
		}
	}
	return r
}
