package wal

import (
	"encoding/binary"
	"math"
	"net/netip"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/frontier/internal/store"
)

// The files of a frontier on disk are logs (see internal/durable and docs/formats/log.md)
// whose records hold entries, one after the other, each with its kind in the
// first byte. [v] is an unsigned varint, [8] little-endian, fp a fingerprint,
// and times are nanoseconds since 1970. A request is written as in
// request.Request, after the last request in the same record.
//
//	1 head    version [v], seed [8], generation [v]; first in every file
//	2 add     request; a URL that was not seen before, or that was done and is queued
//	          again
//	3 lower   fp [8], depth [v]; it waits, now at this depth
//	4 lease   fp [8], attempt [v], time [8]
//	5 done    fp [8], start of the visit [8], how long it took [v],
//	          rest that the host asks for [v]
//	6 again   the fields of done, then the request to be offered again
//	11 first  time [8], request; as add, but nothing was known of its host, or it
//	          was forgotten since its clock had run out
//	24 clock  time [8]; it is no earlier than that
//	12 open   time [8]; the folder was opened: what is leased waits again, with its
//	          attempt one higher, and a visit of its host began no later than now
//	13 moved  key of the host [8], lane [v], rank up to which the lane was brought
//	          to memory, rank of the best that is left, count [v], and so many
//	          requests as in a run, the first after an empty one
//	16 reprice fp [8], priority [8]; it waits in memory, and is queued anew with this
//	          priority
//	17 taken  lane [v], order of queueing [v], request; it was brought to memory out
//	          of its turn and queued anew, with another priority
//	19 located  key of a host [8]; length of its address [1], address; it was found there
//	20 expired  fp [8]; the lease has ended by itself, the URL waits with its attempt one
//	          higher
//	25 ordered  time [8], key of a host [8], key of its domain [8], scheme, name and port of
//	          it, a text; 1 if all that waits of it is dropped, else 0 [1]; clock as in
//	          host, record; it is so from now on, by hand
//	32 record fp [8], record of the host of that URL; right before its done or again
//
// and only in state files, with lower and lease:
//
//	14 run    number [v], stamp [v], requests [v], size [v]
//	9 host    key [8], key of the domain [8], clock [1]; if that is 1: start of the
//	          last visit [8], no visit before [8], gap asked for [v], time when
//	          it was asked [8]
//	33 known  key of the host before [8], record
//	34 name   key of a host that was parked, blocked or dropped [8]; scheme, name and port of
//	          it, a text as in request.Request
//	15 lane   of the host before: lane [v], requests [v], depth [v], rank of the
//	          best, layers [v], and for each from the newest: from [v], rank
//	8 queued  a request as in a run, see request.Stored, after the one before in the
//	          record; it is in memory. After a host, its key is taken to be that
//	          of the request before
//	18 gone   order of queueing [v]; of a request that was taken, and is in a run still
//	21 dropped  URLs that were dropped [v]
//	23 shares   when the latest visit began [8], count [v], and the keys [8] of the
//	          hosts of so many latest visits, the oldest first; if hosts have shares
//	10 end    number of queued entries [v] and of lanes [v] in the file, order of
//	          queueing [v], number of the last run [v], last stamp [v]
//
// A record is
//
//	visits, bytes, visits in trouble, the last of them in a row, steps of
//	back-off, visits without trouble since the last step [v]; end of the last
//	visit in trouble [8]; time that visits take, times parked, fate, URLs dropped
//	[v]; parked until [8], held by hand until [8]; 1 if a visit reached it, plus 2 if
//	it is parked as it cannot be reached [v]; visits in a row that did not reach it [v]
//	and, unless that is 0, when the first of them was over [8] and no visit before [8];
//	length of the address [1], address
//
// A rank is its key [8] and the order of queueing [v]; lanes and ranks are those
// of package sched. A state is what was true when the log of its generation began.
const (
	entryHead = 1 + iota
	entryAdd
	entryLower
	entryLease
	entryDone
	entryAgain
	entryUnused
	entryQueued
	entryHost
	entryEnd
	entryFirst
	entryOpen
	entryMoved
	entryRun
	entryLane
	entryReprice
	entryTaken
	entryGone
	entryLocated
	entryExpired
	entryDropped
	_
	entryShares
	entryClock
	entryOrdered

	entryRecord = 32
	entryKnown  = 33
	entryName   = 34
)

// stateVersion is the version in the head of every file.
const stateVersion = 9

// Entries is a record in the making.
type Entries struct {
	B    []byte
	last request.Request // last request in it
	prev request.Stored  // last queued one in it
}

// reset begins another record.
func (e *Entries) reset() {
	e.B, e.last = e.B[:0], request.Request{}
	e.prev.Reset()
}

func (e *Entries) uint64(kind byte, n uint64) {
	e.B = binary.LittleEndian.AppendUint64(append(e.B, kind), n)
}

func (e *Entries) head(seed, generation uint64) {
	e.B = binary.AppendUvarint(append(e.B, entryHead), stateVersion)
	e.B = binary.LittleEndian.AppendUint64(e.B, seed)
	e.B = binary.AppendUvarint(e.B, generation)
}

func (e *Entries) request(r *request.Request) {
	e.B = request.Append(e.B, r, &e.last)
	e.last = *r
}

func (e *Entries) add(r *request.Request) {
	e.B = append(e.B, entryAdd)
	e.request(r)
}

func (e *Entries) first(r *request.Request, at int64) {
	e.uint64(entryFirst, uint64(at))
	e.request(r)
}

// Opened writes that the folder was opened.
func (e *Entries) Opened(at int64) { e.uint64(entryOpen, uint64(at)) }

func (e *Entries) clock(at int64) { e.uint64(entryClock, uint64(at)) }

func (e *Entries) lower(fp uint64, depth int) {
	e.uint64(entryLower, fp)
	e.B = binary.AppendUvarint(e.B, uint64(depth))
}

func (e *Entries) lease(fp uint64, attempt int, at int64) {
	e.uint64(entryLease, fp)
	e.B = binary.AppendUvarint(e.B, uint64(attempt))
	e.B = binary.LittleEndian.AppendUint64(e.B, uint64(at))
}

func (e *Entries) done(v sched.Ended) {
	kind := byte(entryDone)
	if v.Again != nil {
		kind = entryAgain
	}
	e.uint64(kind, v.FP)
	e.B = binary.LittleEndian.AppendUint64(e.B, uint64(v.Start))
	e.B = binary.AppendUvarint(e.B, uint64(max(v.At-v.Start, 0)))
	e.B = binary.AppendUvarint(e.B, uint64(v.Ask))
	if v.Again != nil {
		e.request(v.Again)
	}
}

// record writes what is remembered of a host, found by a URL or by its key.
func (e *Entries) record(kind byte, key uint64, r *sched.Record, addr netip.Addr) {
	e.uint64(kind, key)
	e.recordFields(r, addr)
}

func (e *Entries) recordFields(r *sched.Record, addr netip.Addr) {
	for _, n := range [...]int{r.Visits, int(r.Bytes), r.Errors, r.Row, r.Steps, r.Good} {
		e.B = binary.AppendUvarint(e.B, uint64(n))
	}
	e.B = binary.LittleEndian.AppendUint64(e.B, uint64(r.Troubled))
	for _, n := range [...]int{int(r.Took), r.Parked, int(r.Fate), r.Dropped} {
		e.B = binary.AppendUvarint(e.B, uint64(n))
	}
	e.B = binary.LittleEndian.AppendUint64(e.B, uint64(r.Away))
	e.B = binary.LittleEndian.AppendUint64(e.B, uint64(r.Hold))
	e.lapse(r.Outage)
	e.addr(addr)
}

func (e *Entries) lapse(l sched.Lapse) {
	var flags byte
	if l.Reached {
		flags |= 1
	}
	if l.Parked {
		flags |= 2
	}
	e.B = binary.AppendUvarint(append(e.B, flags), uint64(l.N))
	if l.N > 0 {
		e.B = binary.LittleEndian.AppendUint64(e.B, uint64(l.Since))
		e.B = binary.LittleEndian.AppendUint64(e.B, uint64(l.Until))
	}
}

func (e *Entries) addr(addr netip.Addr) {
	b := addr.AsSlice()
	e.B = append(append(e.B, byte(len(b))), b...)
}

func (e *Entries) located(host uint64, addr netip.Addr) {
	e.uint64(entryLocated, host)
	e.addr(addr)
}

func (e *Entries) expired(fp uint64) { e.uint64(entryExpired, fp) }

func (e *Entries) dropped(n int) {
	e.B = binary.AppendUvarint(append(e.B, entryDropped), uint64(n))
}

func (e *Entries) name(host uint64, name string) {
	e.uint64(entryName, host)
	e.B = request.AppendText(e.B, name, "")
}

func (e *Entries) queued(x *request.Stored) {
	e.B = request.AppendStored(append(e.B, entryQueued), x, &e.prev)
}

func (e *Entries) host(key, domain uint64, c sched.Rest) {
	e.prev.Host = key
	e.uint64(entryHost, key)
	e.B = binary.LittleEndian.AppendUint64(e.B, domain)
	e.rest(c)
}

func (e *Entries) rest(c sched.Rest) {
	if c == (sched.Rest{}) {
		e.B = append(e.B, 0)
		return
	}
	e.B = append(e.B, 1)
	e.B = binary.LittleEndian.AppendUint64(e.B, uint64(c.Start))
	e.B = binary.LittleEndian.AppendUint64(e.B, uint64(c.Until))
	e.B = binary.AppendUvarint(e.B, uint64(c.Gap))
	e.B = binary.LittleEndian.AppendUint64(e.B, uint64(c.Asked))
}

func (e *Entries) end(queued, lanes int, seq uint64, number, stamp uint32) {
	e.B = append(e.B, entryEnd)
	for _, n := range [...]uint64{uint64(queued), uint64(lanes), seq, uint64(number), uint64(stamp)} {
		e.B = binary.AppendUvarint(e.B, n)
	}
}

func (e *Entries) rank(r request.Rank) {
	e.B = binary.LittleEndian.AppendUint64(e.B, r.Key)
	e.B = binary.AppendUvarint(e.B, r.Seq)
}

func (e *Entries) moved(m *store.Moved) {
	e.uint64(entryMoved, m.Host)
	e.B = binary.AppendUvarint(e.B, uint64(m.Lane))
	e.rank(m.UpTo)
	e.rank(m.Head)
	e.B = binary.AppendUvarint(e.B, uint64(m.N))
	e.B = append(e.B, m.Requests...)
}

func (e *Entries) reprice(fp uint64, priority float64) {
	e.uint64(entryReprice, fp)
	e.B = binary.LittleEndian.AppendUint64(e.B, math.Float64bits(priority))
}

func (e *Entries) taken(x *sched.Outlier) {
	e.B = binary.AppendUvarint(append(e.B, entryTaken), uint64(x.Lane))
	e.B = binary.AppendUvarint(e.B, x.Seq)
	e.request(&x.Request)
}

func (e *Entries) gone(seq uint64) {
	e.B = binary.AppendUvarint(append(e.B, entryGone), seq)
}

func (e *Entries) run(r *store.Run) {
	e.B = append(e.B, entryRun)
	for _, n := range [...]uint64{uint64(r.Number), uint64(r.Stamp), uint64(r.Count), uint64(r.Size)} {
		e.B = binary.AppendUvarint(e.B, n)
	}
}

func (e *Entries) lane(which int, l *sched.Lane, below []sched.Below) {
	e.B = append(e.B, entryLane)
	for _, n := range [...]uint64{uint64(which), uint64(l.N), uint64(l.Depth)} {
		e.B = binary.AppendUvarint(e.B, n)
	}
	e.rank(l.Head)
	e.B = binary.AppendUvarint(e.B, uint64(len(below))+1)
	e.layer(l.Layer)
	for _, b := range below {
		e.layer(b.Layer)
	}
}

func (e *Entries) layer(l sched.Layer) {
	e.B = binary.AppendUvarint(e.B, uint64(l.From))
	e.rank(l.UpTo)
}

// shares writes the hosts of the latest visits, and when the last of them began.
func (e *Entries) shares(hosts []uint64, latest int64) {
	e.uint64(entryShares, uint64(latest))
	e.B = binary.AppendUvarint(e.B, uint64(len(hosts)))
	for _, key := range hosts {
		e.B = binary.LittleEndian.AppendUint64(e.B, key)
	}
}
