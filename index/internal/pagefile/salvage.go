package pagefile

import "encoding/binary"

// mostSections bounds the search for a footer.
const mostSections = 1 << 12

// Salvage is [Open] for a file whose footer may be damaged: it takes what the
// footer says if that can be, and looks for it where the trailer does not say
// where it is. What is read is still checked page by page.
func Salvage(data []byte) (*File, error) {
	f, err := Open(data)
	if _, damaged := err.(*Damage); !damaged {
		return f, err
	}
	le := binary.LittleEndian
	size := uint64(len(data))
	for n := range uint64(mostSections) {
		// The footer's length, 4+20n+4·pages, and that of the body add up to
		// what there is.
		rest := size - trailerSize - 4 - n*sectionSize
		if size < trailerSize+4+n*sectionSize {
			break
		}
		pages := (rest + PageSize + 3) / (PageSize + 4)
		foot := rest - 4*pages
		if foot < uint64(len(headMagic)) || (foot+PageSize-1)/PageSize != pages || uint64(le.Uint32(data[foot:])) != n || n == 0 {
			continue
		}
		f := &File{version: le.Uint32(data[size-12:]), data: data, body: foot}
		if f.footer(data[foot:size-trailerSize], foot) == nil && f.sound() && f.version > 0 && f.version <= Version {
			return f, nil
		}
	}
	return nil, err
}

// sound reports whether the sections follow each other from the head to the
// footer, as they are written, no two of one kind and field.
func (f *File) sound() bool {
	at := uint64(len(headMagic))
	seen := map[[2]uint16]bool{}
	for _, s := range f.sections {
		if s.off != at || seen[[2]uint16{s.kind, s.field}] {
			return false
		}
		at += s.len
		seen[[2]uint16{s.kind, s.field}] = true
	}
	return at == f.body
}
