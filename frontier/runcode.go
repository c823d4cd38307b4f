package frontier

import (
	"encoding/binary"
	"math"
)

// A block of a run holds requests, each written as what differs from the one
// before it in the block, or from an empty one at the start. [v] is an unsigned
// varint, [z] one that is zigzag-coded, [8] is little-endian, a text is written
// as in requestcode.go:
//
//	flags    [1]  which of the fields below follow, as in requestcode.go: 1 via,
//	              2 label, 4 priority, 8 due, 16 depth, 32 hops and attempt, 64
//	              variant and meta; and 128 host and lane; the others are as before
//	host     [8]  key of the host
//	lane     [1]  0: may be visited now, 1: due later
//	order    [z]  order of queueing, less that of the request before
//	url, via, label, priority, due, depth, hops, attempt, variant, meta
const hasHost = allFlags + 1

// shelved is a request in a run. Its texts are good until the next is read.
type shelved struct {
	host            uint64
	lane            byte
	seq             uint64
	url, via, label []byte
	variant, meta   []byte
	priority        uint64 // bits
	due             int64
	depth           uint32
	hops, attempt   uint32
}

func (x *shelved) rank() rank {
	if x.lane == laterLane {
		return rank{uint64(x.due), x.seq}
	}
	return rank{priorityKey(math.Float64frombits(x.priority)), x.seq}
}

// spot is where a request is in a run: runs are in this order.
type spot struct {
	host uint64
	lane byte
	rank
}

func (a spot) before(b spot) bool {
	if a.host != b.host {
		return a.host < b.host
	}
	if a.lane != b.lane {
		return a.lane < b.lane
	}
	return a.rank.before(b.rank)
}

func (x *shelved) spot() spot { return spot{x.host, x.lane, x.rank()} }

// reset makes x the request before the first.
func (x *shelved) reset() {
	*x = shelved{url: x.url[:0], via: x.via[:0], label: x.label[:0], variant: x.variant[:0], meta: x.meta[:0]}
}

// set makes x a copy of another.
func (x *shelved) set(o *shelved) {
	url, via, label := append(x.url[:0], o.url...), append(x.via[:0], o.via...), append(x.label[:0], o.label...)
	variant, meta := append(x.variant[:0], o.variant...), append(x.meta[:0], o.meta...)
	*x = *o
	x.url, x.via, x.label, x.variant, x.meta = url, via, label, variant, meta
}

// decode makes x the request that appendRequest wrote after an empty one.
func (x *shelved) decode(b []byte) {
	x.reset()
	d := decoder{b: b}
	flags := d.byte()
	x.url = d.bytes(x.url, nil)
	d.rest(flags, x)
}

func (x *shelved) request() Request {
	return Request{
		URL: string(x.url), Via: string(x.via), Label: string(x.label), Variant: string(x.variant), Meta: Meta{string(x.meta)},
		Depth: int(x.depth), Hops: int(x.hops), Attempt: int(x.attempt),
		Priority: math.Float64frombits(x.priority), Due: fromNanos(x.due),
	}
}

// appendShelved appends x as it is written after before, which becomes x.
func appendShelved(b []byte, x, before *shelved) []byte {
	at := len(b)
	b = append(b, 0)
	flags := byte(0)
	if len(before.url) == 0 || x.host != before.host || x.lane != before.lane {
		flags |= hasHost
		b = append(binary.LittleEndian.AppendUint64(b, x.host), x.lane)
	}
	b = binary.AppendVarint(b, int64(x.seq-before.seq))
	b, rest := x.appendFields(b, before)
	b[at] = flags | rest
	before.set(x)
	return b
}

// appendText appends x as appendRequest writes it after an empty request.
func (x *shelved) appendText(b []byte) []byte {
	at := len(b)
	b, flags := x.appendFields(append(b, 0), &shelved{})
	b[at] = flags
	return b
}

// appendFields appends URL and what follows, and says which fields do.
func (x *shelved) appendFields(b []byte, before *shelved) (_ []byte, flags byte) {
	b = appendBytes(b, x.url, before.url)
	if string(x.via) != string(before.via) {
		flags |= hasVia
		b = appendBytes(b, x.via, viaBytes(x.url, before.via))
	}
	if string(x.label) != string(before.label) {
		flags |= hasLabel
		b = appendBytes(b, x.label, before.label)
	}
	if x.priority != before.priority {
		flags |= hasPriority
		b = binary.LittleEndian.AppendUint64(b, x.priority)
	}
	if x.due != before.due {
		flags |= hasDue
		b = binary.LittleEndian.AppendUint64(b, uint64(x.due))
	}
	if x.depth != before.depth {
		flags |= hasDepth
		b = binary.AppendUvarint(b, uint64(x.depth))
	}
	if x.hops != before.hops || x.attempt != before.attempt {
		flags |= hasTries
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(x.hops)), uint64(x.attempt))
	}
	if string(x.variant) != string(before.variant) || string(x.meta) != string(before.meta) {
		flags |= hasMeta
		b = appendBytes(b, x.variant, before.variant)
		b = appendBytes(b, x.meta, before.meta)
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
func (d *decoder) bytes(before, reference []byte) []byte {
	shared := d.count(uint64(len(reference)))
	size := d.count(maxText)
	if d.bad || size > len(d.b) || shared+size > maxText {
		d.fail()
		return before[:0]
	}
	text := append(before[:0], reference[:shared]...)
	text = append(text, d.b[:size]...)
	d.b = d.b[size:]
	return text
}

func (d *decoder) signed() int64 {
	n, w := binary.Varint(d.b)
	if w <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[w:]
	return n
}

// shelved reads what appendShelved wrote after x into x.
func (d *decoder) shelved(x *shelved) {
	flags := d.byte()
	if flags&hasHost != 0 {
		x.host, x.lane = d.uint64(), d.byte()
	}
	x.seq += uint64(d.signed())
	x.url = d.bytes(x.url, x.url)
	d.rest(flags, x)
	if x.lane >= lanes || len(x.url) == 0 {
		d.fail()
	}
}

// rest reads what follows the URL.
func (d *decoder) rest(flags byte, x *shelved) {
	if flags&hasVia != 0 {
		x.via = d.bytes(x.via, viaBytes(x.url, x.via))
	}
	if flags&hasLabel != 0 {
		x.label = d.bytes(x.label, x.label)
	}
	if flags&hasPriority != 0 {
		x.priority = d.uint64()
	}
	if flags&hasDue != 0 {
		x.due = d.time()
	}
	if flags&hasDepth != 0 {
		x.depth = uint32(d.count(math.MaxInt32))
	}
	if flags&hasTries != 0 {
		x.hops, x.attempt = uint32(d.count(math.MaxInt32)), uint32(d.count(math.MaxInt32))
	}
	if flags&hasMeta != 0 {
		x.variant, x.meta = d.bytes(x.variant, x.variant), d.bytes(x.meta, x.meta)
		if len(x.variant) > MaxVariant || !isMeta(x.meta) {
			d.fail()
			x.meta = x.meta[:0]
		}
	}
}
