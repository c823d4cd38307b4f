package segment

import (
	"encoding/json"
	"errors"

	"github.com/webquarry/quarry/index/internal/front"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/store"
	"github.com/webquarry/quarry/index/internal/stored"
)

// Writer writes a segment: first all its documents, then its fields one after
// another. Errors are kept and returned by Finish.
type Writer struct {
	in    store.Folder
	name  string
	file  store.File
	out   *pagefile.Writer
	meta  Meta
	keys  keysWriter
	small *stored.Writer
	large *stored.Writer

	smallSpool *store.Spool
	spools     []*store.Spool // all of them
	err        error
}

// keysWriter gathers the keys while records are written.
type keysWriter struct {
	*front.Writer
	spool   *store.Spool
	numbers []uint32 // of their documents; nil: they ascend
}

// Create starts the file of a segment of an index.
func Create(in store.Folder, name string, index uint64, codec *stored.Codec) (*Writer, error) {
	file, err := in.Create(name)
	if err != nil {
		return nil, err
	}
	w := &Writer{in: in, name: name, file: file, out: pagefile.NewWriter(file, index)}
	w.keys.spool = w.spool("keys")
	w.smallSpool = w.spool("small")
	w.keys.Writer = front.NewWriter(w.keys.spool)
	w.small = stored.NewWriter(w.smallSpool, codec, smallBlock)
	w.large = stored.NewWriter(w.out, codec, largeBlock)
	w.out.Begin(sectionLarge, 0)
	return w, nil
}

func (w *Writer) spool(what string) *store.Spool {
	s := store.NewSpool(w.in, w.name+"."+what+".tmp")
	w.spools = append(w.spools, s)
	return s
}

// Document appends a document; keys ascend.
func (w *Writer) Document(key, small, large []byte) {
	w.Record(w.meta.Docs, small, large)
	w.Key(key)
}

// Record adds the records of a document whose key is added by itself.
func (w *Writer) Record(doc uint32, small, large []byte) {
	w.small.Add(doc, small)
	w.large.Add(doc, large)
}

// Key appends a document whose records are added by themselves.
func (w *Writer) Key(key []byte) {
	w.keys.Add(key)
	w.meta.Docs++
}

// Docs is the number of documents so far.
func (w *Writer) Docs() uint32 { return w.meta.Docs }

// EndDocuments comes after the last document.
func (w *Writer) EndDocuments() {
	w.section(sectionLargeIndex, 0)(w.large.Finish())
	keys, err := w.keys.Finish()
	w.spooled(sectionKeys, 0, w.keys.spool)
	w.section(sectionKeyIndex, 0)(keys, err)
	w.writeNumbers()
	w.out.Checkpoint()
	small, err := w.small.Finish()
	w.spooled(sectionSmall, 0, w.smallSpool)
	w.section(sectionSmallIndex, 0)(small, err)
	w.out.Checkpoint() // a file that is cut behind it has all of its documents
}

// section writes a section of bytes that come with an error.
func (w *Writer) section(kind, field uint16) func([]byte, error) {
	return func(b []byte, err error) {
		w.fail(err)
		w.out.Begin(kind, field)
		_, err = w.out.Write(b)
		w.fail(err)
	}
}

// spooled writes a section of what is in a spool.
func (w *Writer) spooled(kind, field uint16, s *store.Spool) {
	w.out.Begin(kind, field)
	w.fail(s.CopyTo(w.out))
}

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// Err returns the first error so far.
func (w *Writer) Err() error { return w.err }

// Finish writes what the segment says of itself, and syncs the file. It
// returns the size of the file.
func (w *Writer) Finish() (size int64, err error) {
	w.section(sectionMeta, 0)(json.Marshal(w.meta))
	w.fail(w.out.Finish())
	if w.err == nil {
		w.err = w.file.Sync()
	}
	if w.err != nil {
		return 0, errors.Join(w.err, w.Abort())
	}
	return int64(w.out.Size()), w.file.Close()
}

// Abort removes what was written. The writer is done with, then.
func (w *Writer) Abort() error {
	err := w.file.Close()
	for _, s := range w.spools {
		err = errors.Join(err, s.Discard())
	}
	return errors.Join(err, w.in.Remove(w.name))
}

// FieldWriter writes a field: its terms in ascending order, each with the
// documents that hold it.
type FieldWriter struct {
	w         *Writer
	field     Field
	lengths   []uint32
	lists     *postings.Writer
	dict      *postings.DictWriter
	terms     *store.Spool
	positions *store.Spool // nil: none
}

// Field starts a field. Its number of terms and tokens are counted here.
// Lengths are those of the field in all documents.
func (w *Writer) Field(f Field, lengths []uint32) *FieldWriter {
	fw := &FieldWriter{w: w, field: f, lengths: lengths}
	fw.field.Terms, fw.field.Tokens = 0, 0
	for _, n := range lengths {
		fw.field.Tokens += uint64(n)
	}
	fw.terms = w.spool("terms")
	fw.dict = postings.NewDictWriter(fw.terms, f.Positions)
	w.out.Begin(sectionLists, uint16(f.Number))
	if f.Positions {
		fw.positions = w.spool("positions")
		fw.lists = postings.NewWriter(w.out, fw.positions, lengths)
	} else {
		fw.lists = postings.NewWriter(w.out, nil, lengths)
	}
	return fw
}

// Add appends a document of the next term, see [postings.Writer.Add].
func (fw *FieldWriter) Add(doc, tf uint32, at []uint32) { fw.lists.Add(doc, tf, at) }

// Copy appends a document of the next term, see [postings.Writer.Copy].
func (fw *FieldWriter) Copy(doc uint32, from *postings.Cursor) { fw.lists.Copy(doc, from) }

// Term ends the term that documents were added to. Without any, it is left out.
func (fw *FieldWriter) Term(term []byte) {
	if fw.lists.Empty() {
		return
	}
	e, err := fw.lists.Finish()
	fw.w.fail(err)
	fw.dict.Add(term, e)
	fw.field.Terms++
}

// End ends the field. A field without terms is left out.
func (fw *FieldWriter) End() {
	w, number := fw.w, uint16(fw.field.Number)
	index, err := fw.dict.Finish()
	if fw.positions != nil {
		w.spooled(sectionPositions, number, fw.positions)
	}
	w.spooled(sectionTerms, number, fw.terms)
	w.section(sectionTermIndex, number)(index, err)
	w.section(sectionLengths, number)(appendLengths(nil, fw.lengths), nil)
	w.meta.Fields = append(w.meta.Fields, fw.field)
}
