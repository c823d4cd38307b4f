package stored

import "github.com/webquarry/quarry/index/internal/pagefile"

// In version 1 an index had no number of blocks, records were in the order of
// their documents, and empty ones were written too.
func (r *Reader) openVersion1(index pagefile.Section) (err error) {
	r.entries, err = index.All()
	r.n, r.places = len(r.entries)/entrySize, index.Len()
	if err == nil && (len(r.entries)%entrySize != 0 || (r.n == 0) != (r.docs == 0)) {
		err = index.Damage(0, "index of records has the wrong length")
	}
	return err
}
