package frontier

// urls is every URL that was ever added: a fingerprint of those that are done,
// a slot and a text for those that are not.
type urls struct {
	seen  map[uint64]struct{}
	live  map[uint64]uint32 // slots of the URLs that are queued or leased
	slots []slot
	free  []uint32
	text  arena
	seq   uint64 // of the request that was queued last
	seed  uint64 // of fingerprints
	buf   []byte
}

// slot is a URL that is queued or leased. It holds no pointer. What it has in
// common with the text is as it is in the slot.
type slot struct {
	fp       uint64
	text     place
	priority float64
	due      int64
	seq      uint64 // order of queueing
	host     uint32
	depth    uint32
	attempt  uint32
	leased   bool
}

// empty says whether no URL is in the slot.
func (s *slot) empty() bool { return s.text == nowhere }

func newURLs(seed uint64) *urls {
	u := &urls{seen: make(map[uint64]struct{}), live: make(map[uint64]uint32), seed: seed}
	u.text.placeOf = func(owner uint32) *place { return &u.slots[owner].text }
	return u
}

// insert makes a slot for a request.
func (u *urls) insert(r *Request, fp uint64, host uint32) uint32 {
	i := uint32(len(u.slots))
	if n := len(u.free); n > 0 {
		i = u.free[n-1]
		u.free = u.free[:n-1]
	} else {
		u.slots = append(u.slots, slot{})
	}
	u.slots[i] = slot{fp: fp, text: nowhere, host: host}
	u.seen[fp] = struct{}{}
	u.live[fp] = i
	u.fill(i, r)
	return i
}

// fill gives a slot a request, behind all others in the order of queueing.
func (u *urls) fill(i uint32, r *Request) {
	s := &u.slots[i]
	if !s.empty() {
		u.text.drop(i)
	}
	u.seq++
	s.seq, s.leased = u.seq, false
	s.priority, s.due = r.Priority, nanos(r.Due)
	s.depth, s.attempt = uint32(r.Depth), uint32(r.Attempt)
	u.buf = appendRequest(u.buf[:0], r, &Request{})
	u.text.put(i, u.buf)
}

// request returns the request of a slot.
func (u *urls) request(i uint32) Request {
	s := &u.slots[i]
	d := decoder{b: u.text.get(i)}
	r := d.request(&Request{})
	r.Depth, r.Attempt = int(s.depth), int(s.attempt)
	return r
}

// remove forgets all of a URL but that it was seen.
func (u *urls) remove(i uint32) {
	u.text.drop(i)
	delete(u.live, u.slots[i].fp)
	u.free = append(u.free, i)
}
