package segment

import (
	"sync"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/front"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/stored"
)

// Remains is what can be read of a segment that is damaged: keys and stored
// values, of some documents.
type Remains struct {
	Docs uint32
	s    Segment
	err  error // why nothing can be read
}

// Salvage opens what is left of a segment of so many documents; 0: nobody
// knows how many.
func Salvage(data []byte, docs uint32, codec *stored.Codec) *Remains {
	r := &Remains{Docs: docs}
	if r.s.file, r.err = pagefile.Salvage(data); r.err != nil {
		return r
	}
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
		r.s.small, _ = r.s.openRecords(sectionSmall, sectionSmallIndex, codec)
		r.s.large, _ = r.s.openRecords(sectionLarge, sectionLargeIndex, codec)
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
	return r.s.Column(field)
}

// Values returns all stored values of a document.
func (r *Remains) Values(doc uint32) ([]Value, error) {
	if r.s.small == nil || r.s.large == nil {
		return nil, &pagefile.Damage{Msg: "damaged index of records"}
	}
	return r.s.Values(doc, func(int) bool { return true })
}
