package cluster

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// version is that of what is sent and kept.
const version = 1

// settings are what all nodes of a cluster have in common.
type settings struct {
	Version    int
	Partitions int
	Mode       Mode
	LeaseFor   time.Duration
}

// pointer says where the newest export of a partition is.
type pointer struct {
	Object string // empty: there is none
	Seq    uint64 // of the log: what is before is in the export
}

// wireRequest is a request as it is sent.
type wireRequest struct {
	URL, Via, Label, Variant string
	Depth, Hops, Attempt     int
	Priority                 float64
	Due                      time.Time
	Again                    bool
	Meta                     []string // keys and values by turns
}

func toWire(reqs []frontier.Request) []wireRequest {
	out := make([]wireRequest, len(reqs))
	for i, r := range reqs {
		out[i] = wireRequest{URL: r.URL, Via: r.Via, Label: r.Label, Variant: r.Variant, Depth: r.Depth, Hops: r.Hops, Attempt: r.Attempt, Priority: r.Priority, Due: r.Due, Again: r.Again}
		for k, v := range r.Meta.All() {
			out[i].Meta = append(out[i].Meta, k, v)
		}
	}
	return out
}

func fromWire(in []wireRequest) []frontier.Request {
	out := make([]frontier.Request, len(in))
	for i, r := range in {
		out[i] = frontier.Request{URL: r.URL, Via: r.Via, Label: r.Label, Variant: r.Variant, Depth: r.Depth, Hops: r.Hops, Attempt: r.Attempt, Priority: r.Priority, Due: r.Due, Again: r.Again}
		for k := 0; k+1 < len(r.Meta); k += 2 {
			out[i].Meta = out[i].Meta.With(r.Meta[k], r.Meta[k+1])
		}
	}
	return out
}

// question is what the owner of a partition is asked, answer what it says.
type (
	question struct {
		Op       string // add, rescore, drained, stats, park, block, drop, resume
		Requests []wireRequest
		URL      string
		Until    time.Time
	}
	answer struct {
		N       int
		Yes     bool
		Stats   frontier.Stats
		Refused []refusal
		Other   bool   // this node does not own the partition: ask again
		Err     string // the owner failed
	}
	refusal struct {
		URL, Variant, Msg string
		Meta              *frontier.MetaError
	}
)

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func decode(b []byte, v any) error { return gob.NewDecoder(bytes.NewReader(b)).Decode(v) }

// batchBytes is about how many bytes of requests are sent at once; servers take a megabyte.
const batchBytes = 128 << 10

// batches parts requests into those that are sent together.
func batches(reqs []frontier.Request) (out [][]frontier.Request) {
	for len(reqs) > 0 {
		n, size := 0, 0
		for n < len(reqs) && (n == 0 || size < batchBytes) {
			r := &reqs[n]
			size += 64 + len(r.URL) + len(r.Via) + len(r.Label) + len(r.Variant) + len(r.Meta.String())
			n++
		}
		out, reqs = append(out, reqs[:n]), reqs[n:]
	}
	return out
}

// A part of the log is sent as messages of which the first byte says whether it begins and
// whether it ends there; a message of one byte 0 is where an owner began.
const (
	begins = 1 << iota
	ends

	messageBytes = 512 << 10
)

var errPart = errors.New("a part of the log cannot be read")

// appendPart appends a part of a log: generation, first, prior [v], and the records, each
// after its length [v].
func appendPart(b []byte, p frontier.LogPart) []byte {
	b = binary.AppendUvarint(b, p.Generation)
	b = binary.AppendUvarint(b, uint64(p.First))
	b = binary.AppendUvarint(b, uint64(p.Prior))
	for _, rec := range p.Records {
		b = append(binary.AppendUvarint(b, uint64(len(rec))), rec...)
	}
	return b
}

func parsePart(b []byte) (p frontier.LogPart, err error) {
	number := func() uint64 {
		n, w := binary.Uvarint(b)
		if w <= 0 {
			err = errPart
			return 0
		}
		b = b[w:]
		return n
	}
	p = frontier.LogPart{Generation: number(), First: int(number()), Prior: int(number())}
	for err == nil && len(b) > 0 {
		n := number()
		if n > uint64(len(b)) {
			return p, errPart
		}
		p.Records = append(p.Records, b[:n])
		b = b[n:]
	}
	return p, err
}
