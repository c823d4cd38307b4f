package warc

import (
	"io"
	"strings"
	"time"
)

// The types of records (WARC 1.1, 5.5).
const (
	Warcinfo   = "warcinfo"
	Response   = "response"
	Resource   = "resource"
	Request    = "request"
	Metadata   = "metadata"
	Revisit    = "revisit"
	Conversion = "conversion"
)

// Record is one record of an archive. Those of ARC files come as a WARC would
// have them: with a type and the fields that their one line gives.
type Record struct {
	Version string    // "WARC/1.1", "ARC/1", "ARC/2"
	Type    string    // one of the constants, or another
	URL     string    // WARC-Target-URI without the brackets that some put around it
	Date    time.Time // of capture; zero: not said, or not readable
	Header  Header
	File    string    // as it was opened
	Offset  int64     // in the file, of the record or of the gzip member that it is in
	Size    int64     // bytes of the block
	Block   io.Reader // to be read before the next record is asked for; an error is an *[Error]
}

// Field is a named field of a record.
type Field struct{ Name, Value string }

// Header is the fields of a record in their order.
type Header []Field

// Get returns the first value of a field, whose name is matched in any case,
// and nothing where there is none.
func (h Header) Get(name string) string {
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// ID returns WARC-Record-ID.
func (r *Record) ID() string { return r.Header.Get("WARC-Record-ID") }

// MediaType returns the Content-Type of the block in lower case, without
// parameters.
func (r *Record) MediaType() string { return mediaType(r.Header.Get("Content-Type")) }

func mediaType(s string) string {
	s, _, _ = strings.Cut(s, ";")
	return strings.ToLower(strings.TrimSpace(s))
}
