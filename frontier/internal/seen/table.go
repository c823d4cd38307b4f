package seen

import "math/bits"

// parts is how many tables a table consists of, so that one of them can grow
// without a pause that anybody would notice.
const parts = 1 << partBits

const partBits = 10

// table is a set of keys in memory. The high bits of a key say in which part it
// is and where in the part it would like to be; it is there or right behind, and
// the keys of a part are in order. So the table can be written to disk as it is.
//
// The parts need keys that are spread evenly, which is what mix is for.
type table struct {
	parts [parts]part
	n     int
	full  int  // homes of a part for which the table is made; 0: any number
	zero  bool // key 0 is in the table: in a slot it means that there is none
}

// part holds keys in order with gaps between them. Behind the places where keys
// would like to be there are some more, so that nothing wraps around.
type part struct {
	slots []uint64
	homes uint64 // slots without those at the end
	n     int
}

// newTable makes a table for so many keys; 0: for any number. With those at the end, a
// part has four slots for three keys.
func newTable(keys int) *table {
	slots := (keys + keys/3 + parts - 1) / parts
	return &table{full: max(slots-8, 0) * 64 / 65}
}

// home is the first slot in which a key may be.
func (p *part) home(key uint64) uint64 {
	hi, _ := bits.Mul64(key<<partBits, p.homes)
	return hi
}

// has says whether a key is in the table.
func (t *table) has(key uint64) bool {
	if key == 0 {
		return t.zero
	}
	p := &t.parts[key>>(64-partBits)]
	for i := p.home(key); i < uint64(len(p.slots)); i++ {
		if x := p.slots[i]; x == key {
			return true
		} else if x == 0 || x > key {
			return false
		}
	}
	return false
}

// touch reads the slot where a key would be, and returns something of it. When
// many keys are touched before they are looked for, the memory is waited for
// once and not as often.
func (t *table) touch(key uint64) uint64 {
	p := &t.parts[key>>(64-partBits)]
	if i := p.home(key); i < uint64(len(p.slots)) {
		return p.slots[i]
	}
	return 0
}

// add adds a key and says whether it was not in the table.
func (t *table) add(key uint64) bool {
	if key == 0 {
		added := !t.zero
		if t.zero = true; added {
			t.n++
		}
		return added
	}
	p := &t.parts[key>>(64-partBits)]
	for 16*p.n >= 13*int(p.homes) {
		p.grow(t.full)
	}
	for {
		added, ok := p.add(key)
		if ok {
			if added {
				t.n++
			}
			return added
		}
		p.grow(t.full)
	}
}

// add says no when there is no slot left at the end.
func (p *part) add(key uint64) (added, ok bool) {
	n := uint64(len(p.slots))
	i := p.home(key)
	for i < n && p.slots[i] != 0 && p.slots[i] < key {
		i++
	}
	if i < n && p.slots[i] == key {
		return false, true
	}
	free := i
	for free < n && p.slots[free] != 0 {
		free++
	}
	if free == n {
		return false, false
	}
	copy(p.slots[i+1:free+1], p.slots[i:free])
	p.slots[i] = key
	p.n++
	return true, true
}

// grow makes a part larger by half. One that is not small any more becomes as large as
// it should be, so that what tables take does not depend on how full they happened to
// get.
func (p *part) grow(full int) {
	homes := max(int(p.homes)+int(p.homes)/2, 8)
	if int(p.homes) < full && 8*homes > full {
		homes = full
	}
	for {
		bigger := part{slots: make([]uint64, homes+homes/64+8), homes: uint64(homes)}
		if bigger.fill(p.slots) {
			*p = bigger
			return
		}
		homes += homes / 2
	}
}

// fill adds keys that are in order, among zeros. It says no when there is no
// slot left at the end.
func (p *part) fill(keys []uint64) bool {
	next := uint64(0)
	for _, key := range keys {
		if key == 0 {
			continue
		}
		i := max(p.home(key), next)
		if i >= uint64(len(p.slots)) {
			return false
		}
		p.slots[i] = key
		p.n++
		next = i + 1
	}
	return true
}

// each calls do for all keys in order, until it fails.
func (t *table) each(do func(key uint64) error) error {
	if t.zero {
		if err := do(0); err != nil {
			return err
		}
	}
	for i := range t.parts {
		for _, key := range t.parts[i].slots {
			if key == 0 {
				continue
			}
			if err := do(key); err != nil {
				return err
			}
		}
	}
	return nil
}

// clear makes the table empty, and keeps its memory.
func (t *table) clear() {
	for i := range t.parts {
		clear(t.parts[i].slots)
		t.parts[i].n = 0
	}
	t.n, t.zero = 0, false
}

// bytes is how much memory the table takes.
func (t *table) bytes() (n int) {
	for i := range t.parts {
		n += 8 * cap(t.parts[i].slots)
	}
	return n
}
