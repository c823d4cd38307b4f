package request

import (
	"encoding/binary"
	"math"
)

// A block of a run holds requests, each written as what differs from the one
// before it in the block, or from an empty one at the start. [v] is an unsigned
// varint, [z] one that is zigzag-coded, [8] is little-endian, a text is written
// as in request.go:
//
//	flags    [1]  which of the fields below follow, as in request.go: 1 via,
//	              2 label, 4 priority, 8 due, 16 depth, 32 hops and attempt, 64
//	              variant and meta; and 128 host and lane; the others are as before
//	host     [8]  key of the host
//	lane     [1]  0: may be visited now, 1: due later
//	order    [z]  order of queueing, less that of the request before
//	url, via, label, priority, due, depth, hops, attempt, variant, meta
const hasHost = allFlags + 1

// Stored is a request in a run. Its texts are good until the next is read.
type Stored struct {
	Host            uint64
	Lane            byte
	Seq             uint64
	URL, Via, Label []byte
	Variant, Meta   []byte
	Priority        uint64 // bits
	Due             int64
	Depth           uint32
	Hops, Attempt   uint32
}

// Rank is where a request stands in its queue.
func (x *Stored) Rank() Rank {
	if x.Lane == LaterLane {
		return Rank{uint64(x.Due), x.Seq}
	}
	return Rank{PriorityKey(math.Float64frombits(x.Priority)), x.Seq}
}

// Spot is where a request is in a run: runs are in this order.
type Spot struct {
	Host uint64
	Lane byte
	Rank
}

// Before says whether a comes before b in a run.
func (a Spot) Before(b Spot) bool {
	if a.Host != b.Host {
		return a.Host < b.Host
	}
	if a.Lane != b.Lane {
		return a.Lane < b.Lane
	}
	return a.Rank.Before(b.Rank)
}

// Spot is where a request is in a run.
func (x *Stored) Spot() Spot { return Spot{x.Host, x.Lane, x.Rank()} }

// Reset makes x the request before the first.
func (x *Stored) Reset() {
	*x = Stored{URL: x.URL[:0], Via: x.Via[:0], Label: x.Label[:0], Variant: x.Variant[:0], Meta: x.Meta[:0]}
}

// set makes x a copy of another.
func (x *Stored) set(o *Stored) {
	url, via, label := append(x.URL[:0], o.URL...), append(x.Via[:0], o.Via...), append(x.Label[:0], o.Label...)
	variant, meta := append(x.Variant[:0], o.Variant...), append(x.Meta[:0], o.Meta...)
	*x = *o
	x.URL, x.Via, x.Label, x.Variant, x.Meta = url, via, label, variant, meta
}

// Decode makes x the request that Append wrote after an empty one.
func (x *Stored) Decode(b []byte) {
	x.Reset()
	d := Decoder{B: b}
	flags := d.Byte()
	x.URL = d.bytes(x.URL, nil)
	d.rest(flags, x)
}

// Request returns a request with texts of its own.
func (x *Stored) Request() Request {
	return Request{
		URL: string(x.URL), Via: string(x.Via), Label: string(x.Label), Variant: string(x.Variant), Meta: string(x.Meta),
		Depth: int(x.Depth), Hops: int(x.Hops), Attempt: int(x.Attempt),
		Priority: math.Float64frombits(x.Priority), Due: x.Due,
	}
}

// AppendStored appends x as it is written after before, which becomes x.
func AppendStored(b []byte, x, before *Stored) []byte {
	at := len(b)
	b = append(b, 0)
	flags := byte(0)
	if len(before.URL) == 0 || x.Host != before.Host || x.Lane != before.Lane {
		flags |= hasHost
		b = append(binary.LittleEndian.AppendUint64(b, x.Host), x.Lane)
	}
	b = binary.AppendVarint(b, int64(x.Seq-before.Seq))
	b, rest := x.appendFields(b, before)
	b[at] = flags | rest
	before.set(x)
	return b
}

// AppendText appends x as Append writes it after an empty request.
func (x *Stored) AppendText(b []byte) []byte {
	at := len(b)
	b, flags := x.appendFields(append(b, 0), &Stored{})
	b[at] = flags
	return b
}

// appendFields appends URL and what follows, and says which fields do.
func (x *Stored) appendFields(b []byte, before *Stored) (_ []byte, flags byte) {
	b = appendBytes(b, x.URL, before.URL)
	if string(x.Via) != string(before.Via) {
		flags |= hasVia
		b = appendBytes(b, x.Via, viaBytes(x.URL, before.Via))
	}
	if string(x.Label) != string(before.Label) {
		flags |= hasLabel
		b = appendBytes(b, x.Label, before.Label)
	}
	if x.Priority != before.Priority {
		flags |= hasPriority
		b = binary.LittleEndian.AppendUint64(b, x.Priority)
	}
	if x.Due != before.Due {
		flags |= hasDue
		b = binary.LittleEndian.AppendUint64(b, uint64(x.Due))
	}
	if x.Depth != before.Depth {
		flags |= hasDepth
		b = binary.AppendUvarint(b, uint64(x.Depth))
	}
	if x.Hops != before.Hops || x.Attempt != before.Attempt {
		flags |= hasTries
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(x.Hops)), uint64(x.Attempt))
	}
	if string(x.Variant) != string(before.Variant) || string(x.Meta) != string(before.Meta) {
		flags |= hasMeta
		b = appendBytes(b, x.Variant, before.Variant)
		b = appendBytes(b, x.Meta, before.Meta)
	}
	return b, flags
}

func viaBytes(url, before []byte) []byte {
	if len(before) == 0 {
		return url
	}
	return before
}

func appendBytes(b, text, before []byte) []byte {
	n := 0
	for n < len(text) && n < len(before) && text[n] == before[n] {
		n++
	}
	b = binary.AppendUvarint(b, uint64(n))
	b = binary.AppendUvarint(b, uint64(len(text)-n))
	return append(b, text[n:]...)
}

// bytes turns the text before into the next one; reference is what it was
// written after.
func (d *Decoder) bytes(before, reference []byte) []byte {
	shared := d.Count(uint64(len(reference)))
	size := d.Count(MaxText)
	if d.Bad || size > len(d.B) || shared+size > MaxText {
		d.Fail()
		return before[:0]
	}
	text := append(before[:0], reference[:shared]...)
	text = append(text, d.B[:size]...)
	d.B = d.B[size:]
	return text
}

func (d *Decoder) signed() int64 {
	n, w := binary.Varint(d.B)
	if w <= 0 {
		d.Fail()
		return 0
	}
	d.B = d.B[w:]
	return n
}

// Stored reads what AppendStored wrote after x into x.
func (d *Decoder) Stored(x *Stored) {
	flags := d.Byte()
	if flags&hasHost != 0 {
		x.Host, x.Lane = d.Uint64(), d.Byte()
	}
	x.Seq += uint64(d.signed())
	x.URL = d.bytes(x.URL, x.URL)
	d.rest(flags, x)
	if x.Lane >= Lanes || len(x.URL) == 0 {
		d.Fail()
	}
}

// rest reads what follows the URL.
func (d *Decoder) rest(flags byte, x *Stored) {
	if flags&hasVia != 0 {
		x.Via = d.bytes(x.Via, viaBytes(x.URL, x.Via))
	}
	if flags&hasLabel != 0 {
		x.Label = d.bytes(x.Label, x.Label)
	}
	if flags&hasPriority != 0 {
		x.Priority = d.Uint64()
	}
	if flags&hasDue != 0 {
		x.Due = d.Time()
	}
	if flags&hasDepth != 0 {
		x.Depth = uint32(d.Count(math.MaxInt32))
	}
	if flags&hasTries != 0 {
		x.Hops, x.Attempt = uint32(d.Count(math.MaxInt32)), uint32(d.Count(math.MaxInt32))
	}
	if flags&hasMeta != 0 {
		x.Variant, x.Meta = d.bytes(x.Variant, x.Variant), d.bytes(x.Meta, x.Meta)
		if len(x.Variant) > MaxVariant || !IsMeta(x.Meta) {
			d.Fail()
			x.Meta = x.Meta[:0]
		}
	}
}
