package frontier

import (
	"encoding/binary"
	"net/netip"
)

// The files of a [Disk] are logs (see internal/durable and docs/formats/log.md)
// whose records hold entries, one after the other, each with its kind in the
// first byte. [v] is an unsigned varint, [8] little-endian, fp a fingerprint,
// and times are nanoseconds since 1970. A request is written as in
// requestcode.go, after the last request in the same record.
//
//	1 head    version [v], seed [8], generation [v]; first in every file
//	2 add     request; a URL that was not seen before
//	3 lower   fp [8], depth [v]; it waits, now at this depth
//	4 lease   fp [8], attempt [v], time [8]
//	5 done    fp [8], start of the visit [8], how long it took [v],
//	          rest that the host asks for [v]
//	6 again   the fields of done, then the request to be offered again
//
// and only in state files:
//
//	7 seen    count [v], fp [8] × count
//	8 queued  order of queueing [v], request
//	9 host    key [8], key of the domain [8], start of the last visit [8],
//	          no visit before [8], gap asked for [v], time when it was asked [8]
//	10 end    number of fingerprints [v] and of queued entries [v] in the file
//
// and again in logs:
//
//	11 first  time [8], request; as add, but nothing was known of its host, or it
//	          was forgotten since its clock had run out
//	12 open   time [8]; the folder was opened: what is leased waits again, with its
//	          attempt one higher, and a visit of its host began no later than now
//
//	32 record fp [8], record of the host of that URL; right before its done or again
//
// and in state files, after the host:
//
//	33 known  key of the host [8], record
//
// A record is
//
//	visits, bytes, visits in trouble, the last of them in a row, steps of
//	back-off, visits without trouble since the last step [v]; end of the last
//	visit in trouble [8]; time that visits take, times parked, fate [v];
//	length of the address [1], address
//
// To apply an entry to a state that has seen its effect already, and later ones,
// does no harm once all entries up to that state's have been applied: that is
// what allows to write a state down while it changes, see compact.go.
const (
	entryHead = 1 + iota
	entryAdd
	entryLower
	entryLease
	entryDone
	entryAgain
	entrySeen
	entryQueued
	entryHost
	entryEnd
	entryFirst
	entryOpen

	entryRecord = 32
	entryKnown  = 33
)

// stateVersion is the version in the head of every file.
const stateVersion = 1

// entries is a record in the making.
type entries struct {
	b    []byte
	last Request // last request in it
}

func (e *entries) uint64(kind byte, n uint64) {
	e.b = binary.LittleEndian.AppendUint64(append(e.b, kind), n)
}

func (e *entries) head(seed, generation uint64) {
	e.b = binary.AppendUvarint(append(e.b, entryHead), stateVersion)
	e.b = binary.LittleEndian.AppendUint64(e.b, seed)
	e.b = binary.AppendUvarint(e.b, generation)
}

func (e *entries) request(r *Request) {
	e.b = appendRequest(e.b, r, &e.last)
	e.last = *r
}

func (e *entries) add(r *Request) {
	e.b = append(e.b, entryAdd)
	e.request(r)
}

func (e *entries) first(r *Request, at int64) {
	e.uint64(entryFirst, uint64(at))
	e.request(r)
}

func (e *entries) opened(at int64) { e.uint64(entryOpen, uint64(at)) }

func (e *entries) lower(fp uint64, depth int) {
	e.uint64(entryLower, fp)
	e.b = binary.AppendUvarint(e.b, uint64(depth))
}

func (e *entries) lease(fp uint64, attempt int, at int64) {
	e.uint64(entryLease, fp)
	e.b = binary.AppendUvarint(e.b, uint64(attempt))
	e.b = binary.LittleEndian.AppendUint64(e.b, uint64(at))
}

// ended is a visit that is over.
type ended struct {
	fp        uint64
	start, at int64
	ask       int64    // rest that the host asks for
	again     *Request // to be offered again, or nil

	// What goes into the record of the host.
	took, bytes int64
	trouble     Trouble
	addr        netip.Addr
}

func (e *entries) done(v ended) {
	kind := byte(entryDone)
	if v.again != nil {
		kind = entryAgain
	}
	e.uint64(kind, v.fp)
	e.b = binary.LittleEndian.AppendUint64(e.b, uint64(v.start))
	e.b = binary.AppendUvarint(e.b, uint64(max(v.at-v.start, 0)))
	e.b = binary.AppendUvarint(e.b, uint64(v.ask))
	if v.again != nil {
		e.request(v.again)
	}
}

// record writes what is remembered of a host, found by a URL or by its key.
func (e *entries) record(kind byte, key uint64, r *record, addr netip.Addr) {
	e.uint64(kind, key)
	for _, n := range [...]int{r.visits, int(r.bytes), r.errors, r.row, r.steps, r.good} {
		e.b = binary.AppendUvarint(e.b, uint64(n))
	}
	e.b = binary.LittleEndian.AppendUint64(e.b, uint64(r.troubled))
	for _, n := range [...]int{int(r.took), r.parked, int(r.fate)} {
		e.b = binary.AppendUvarint(e.b, uint64(n))
	}
	b := addr.AsSlice()
	e.b = append(append(e.b, byte(len(b))), b...)
}

func (e *entries) seen(fps []uint64) {
	e.b = binary.AppendUvarint(append(e.b, entrySeen), uint64(len(fps)))
	for _, fp := range fps {
		e.b = binary.LittleEndian.AppendUint64(e.b, fp)
	}
}

func (e *entries) queued(seq uint64, r *Request) {
	e.b = binary.AppendUvarint(append(e.b, entryQueued), seq)
	e.request(r)
}

func (e *entries) host(key, domain uint64, c rest) {
	e.uint64(entryHost, key)
	e.b = binary.LittleEndian.AppendUint64(e.b, domain)
	e.b = binary.LittleEndian.AppendUint64(e.b, uint64(c.start))
	e.b = binary.LittleEndian.AppendUint64(e.b, uint64(c.until))
	e.b = binary.AppendUvarint(e.b, uint64(c.gap))
	e.b = binary.LittleEndian.AppendUint64(e.b, uint64(c.asked))
}

func (e *entries) end(seen, queued int) {
	e.b = binary.AppendUvarint(append(e.b, entryEnd), uint64(seen))
	e.b = binary.AppendUvarint(e.b, uint64(queued))
}
