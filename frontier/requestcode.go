package frontier

import (
	"encoding/binary"
	"errors"
	"math"
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
//	meta          text, after the meta before; see [Meta]
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

// appendRequest appends r as it is written after before.
func appendRequest(b []byte, r, before *Request) []byte {
	at := len(b)
	b = append(b, 0)
	flags := byte(0)
	b = appendText(b, r.URL, before.URL)
	if r.Via != before.Via {
		flags |= hasVia
		b = appendText(b, r.Via, viaReference(r.URL, before.Via))
	}
	if r.Label != before.Label {
		flags |= hasLabel
		b = appendText(b, r.Label, before.Label)
	}
	if r.Priority != before.Priority {
		flags |= hasPriority
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(r.Priority))
	}
	if due := nanos(r.Due); due != nanos(before.Due) {
		flags |= hasDue
		b = binary.LittleEndian.AppendUint64(b, uint64(due))
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
		b = appendText(b, r.Variant, before.Variant)
		b = appendText(b, r.Meta.text, before.Meta.text)
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

func appendText(b []byte, text, before string) []byte {
	n := 0
	for n < len(text) && n < len(before) && text[n] == before[n] {
		n++
	}
	b = binary.AppendUvarint(b, uint64(n))
	b = binary.AppendUvarint(b, uint64(len(text)-n))
	return append(b, text[n:]...)
}

var errRecord = errors.New("record does not make sense")

// decoder reads fields off the front of b. After something that cannot be right
// it reads zeros and bad is true.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) fail() {
	d.b, d.bad = nil, true
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.fail()
		return 0
	}
	c := d.b[0]
	d.b = d.b[1:]
	return c
}

func (d *decoder) uint64() uint64 {
	if len(d.b) < 8 {
		d.fail()
		return 0
	}
	n := binary.LittleEndian.Uint64(d.b)
	d.b = d.b[8:]
	return n
}

func (d *decoder) uint32() uint32 {
	if len(d.b) < 4 {
		d.fail()
		return 0
	}
	n := binary.LittleEndian.Uint32(d.b)
	d.b = d.b[4:]
	return n
}

// time reads nanoseconds, which are never negative.
func (d *decoder) time() int64 {
	n := d.uint64()
	if n > math.MaxInt64 {
		d.fail()
		return 0
	}
	return int64(n)
}

// count reads a varint that is at most limit.
func (d *decoder) count(limit uint64) int {
	n, w := binary.Uvarint(d.b)
	if w <= 0 || n > limit {
		d.fail()
		return 0
	}
	d.b = d.b[w:]
	return int(n)
}

func (d *decoder) text(before string) string {
	shared := d.count(uint64(len(before)))
	size := d.count(maxText)
	if d.bad || size > len(d.b) {
		d.fail()
		return ""
	}
	rest := d.b[:size]
	d.b = d.b[size:]
	if size == 0 && shared == len(before) {
		return before
	}
	return before[:shared] + string(rest)
}

// request reads what appendRequest wrote after the same request before.
func (d *decoder) request(before *Request) Request {
	r := *before
	flags := d.byte()
	if flags > allFlags {
		d.fail()
	}
	r.URL = d.text(before.URL)
	if flags&hasVia != 0 {
		r.Via = d.text(viaReference(r.URL, before.Via))
	}
	if flags&hasLabel != 0 {
		r.Label = d.text(before.Label)
	}
	if flags&hasPriority != 0 {
		r.Priority = math.Float64frombits(d.uint64())
		if math.IsNaN(r.Priority) {
			d.fail()
		}
	}
	if flags&hasDue != 0 {
		r.Due = fromNanos(d.time())
	}
	if flags&hasDepth != 0 {
		r.Depth = d.count(math.MaxInt32)
	}
	if flags&hasTries != 0 {
		r.Hops, r.Attempt = d.count(math.MaxInt32), d.count(math.MaxInt32)
	}
	if flags&hasMeta != 0 {
		r.Variant, r.Meta.text = d.text(before.Variant), d.text(before.Meta.text)
		if len(r.Variant) > MaxVariant || !isMeta(r.Meta.text) {
			d.fail()
			r.Meta = Meta{}
		}
	}
	return r
}
