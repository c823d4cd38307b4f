package segment

import (
	"sync"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/front"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/stored"
)

// Remains is what can be read of a segment that is damaged: keys and stored
// values, of some documents. It is for one goroutine.
type Remains struct {
	Docs uint32
	s    Segment
	walk *Walk // nil: no stored value can be read
	err  error // why nothing can be read
}

// Salvage opens what is left of a segment of so many documents; 0: nobody
// knows how many. Pages of the file may be damaged, and its end may be missing.
func Salvage(file *pagefile.File, docs uint32, codec *stored.Codec) *Remains {
	r := &Remains{Docs: docs, s: Segment{file: file}}
	keys, err := r.s.sections(0, sectionKeys, sectionKeyIndex)
	if err == nil {
		r.s.Keys, err = front.Open(keys[0], keys[1])
	}
	if err == nil && docs == 0 {
		r.Docs = uint32(min(r.s.Keys.Len(), MaxDocs))
	}
	r.s.Docs = r.Docs
	if err == nil && r.s.Keys.Len() != int(r.Docs) {
		err = keys[1].Damage(0, "another number of keys than of documents")
	}
	if err == nil {
		if meta, metaErr := r.s.meta(); metaErr == nil {
			r.s.Order = meta.Order
		}
		r.s.Places = sync.OnceValues(r.s.readPlaces)
		if _, err = r.s.Places(); err != nil && (Order{By: ByHost}).Is(&r.s) {
			err = r.byHost()
		}
	}
	r.err = err
	if err == nil {
		// Without these the keys are still worth something.
		var small, large error
		r.s.small, small = r.s.openRecords(sectionSmall, sectionSmallIndex, codec)
		r.s.large, large = r.s.openRecords(sectionLarge, sectionLargeIndex, codec)
		if small == nil && large == nil {
			r.walk = r.s.Walk()
		}
	}
	return r
}

// byHost numbers the documents anew, which can be done by their keys alone where
// these are in the order of hosts.
func (r *Remains) byHost() error {
	var hosts Hosts
	keys := r.s.Keys.Iter()
	for keys.Next() {
		hosts.Add(keys.Text())
	}
	if err := keys.Err(); err != nil {
		return err
	}
	numbers, err := hosts.Numbers(func() error { return nil })
	if err == nil && len(numbers) != int(r.Docs) {
		err = &pagefile.Damage{Msg: "another number of keys than of documents"}
	}
	if err != nil {
		return err
	}
	p := Places{inverse(numbers), encodeNumbers(numbers)}
	r.s.Places = func() (Places, error) { return p, nil }
	return nil
}

// Err says why not even the keys can be read.
func (r *Remains) Err() error { return r.err }

// Key returns the key of a document.
func (r *Remains) Key(doc uint32) (string, error) {
	if r.err != nil {
		return "", r.err
	}
	return r.s.Key(doc)
}

// Column opens the column of a field, as [Segment.Column] does.
func (r *Remains) Column(field int) (*column.Column, error) {
	if r.err != nil {
		return nil, r.err
	}
	c, err := r.s.Column(field)
	if c == nil && err == nil && !r.s.file.Whole() {
		err = &pagefile.Damage{Msg: "the end of the file is missing, and the column may have been there"}
	}
	return c, err
}

// Values returns all stored values of a document. It is quick when documents come
// in their order.
func (r *Remains) Values(doc uint32) ([]Value, error) {
	if r.walk == nil {
		return nil, &pagefile.Damage{Msg: "damaged index of records"}
	}
	return r.walk.Values(doc, func(int) bool { return true })
}
