package index

import (
	"slices"
	"strings"

	"github.com/webquarry/quarry/index/internal/schema"
)

// Stats describe a snapshot.
type Stats struct {
	Generation uint64 // commits since the index was made, merges counted too
	Docs       int    // documents
	Deleted    int    // documents that are deleted but still take room
	Segments   int
	Bytes      int64 // of the segments on disk, of columns that were set, and of anchors
	// Sieves is how many bytes of memory are kept so that searches with typing errors
	// and for patterns such as *word* are quick: nine at most for each term of the
	// segments and fields that were asked, until the segment is closed.
	Sieves int64
	Fields []FieldStats
	// Parts says what the bytes are: "keys", "records", "column", and for each
	// field, as in "body positions", its terms, lists, positions and lengths;
	// "anchors" as they were given, "joined anchors" as they are searched until
	// their segment is merged.
	Parts map[string]int64
}

// FieldStats describe a field of a snapshot that is searched.
type FieldStats struct {
	Name   string
	Tokens uint64  // in all documents
	AvgLen float64 // mean over all documents, also those without the field
}

// Stats returns how much the snapshot holds.
func (s *Snapshot) Stats() (out Stats, err error) {
	err = s.read(func() (err error) {
		out, err = s.stats()
		return err
	})
	if err != nil {
		return Stats{}, err
	}
	return out, nil
}

func (s *Snapshot) stats() (Stats, error) {
	c := s.commit
	out := Stats{Generation: c.Generation, Docs: c.Docs, Segments: len(c.Views), Parts: map[string]int64{}}
	tokens := map[string]uint64{}
	for _, v := range c.Views {
		for _, f := range slices.Concat(v.Seg.Fields, v.Overlay.Fields()) {
			out.Sieves += f.Sieve.Made().Bytes()
		}
		out.Deleted += v.Deleted.Len()
		out.Bytes += v.Bytes
		for _, f := range v.Overlay.Files() {
			out.Bytes += f.Bytes
			if f.Fields != nil {
				out.Parts["joined anchors"] += f.Bytes
			} else {
				out.Parts["set columns"] += f.Bytes
			}
		}
		v.Seg.Sizes(func(what, field string, bytes uint64) {
			out.Parts[strings.TrimSpace(field+" "+what)] += int64(bytes)
		})
	}
	if err := c.Tokens(tokens, s.schema); err != nil {
		return Stats{}, err
	}
	for _, h := range c.Anchors {
		out.Bytes += h.Bytes
		out.Parts["anchors"] += h.Bytes
	}
	for _, f := range s.schema {
		if f.Kind < schema.StoredOnly {
			n := tokens[f.Name]
			out.Fields = append(out.Fields, FieldStats{f.Name, n, float64(n) / float64(max(1, c.Docs))})
		}
	}
	return out, nil
}
