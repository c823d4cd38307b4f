package warc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// Entry is a line of a CDXJ index: a capture and where it lies.
type Entry struct {
	Key    string    // SURT of URL, see urlnorm.SURT
	Time   time.Time // in whole seconds
	URL    string
	MIME   string // of the answer; "warc/revisit" for a revisit
	Status int    // of HTTP; zero: none
	Digest string // of the payload, as "sha1:…"; empty: not known
	Offset int64
	Length int64  // in the file; zero: not known
	File   string // beside the index
}

// captured is the JSON of a line, whose numbers are strings by custom. Some
// tools write numbers all the same.
type captured struct {
	URL    string  `json:"url"`
	MIME   string  `json:"mime,omitempty"`
	Status numeral `json:"status,omitempty"`
	Digest string  `json:"digest,omitempty"`
	Length numeral `json:"length,omitempty"`
	Offset numeral `json:"offset"`
	File   string  `json:"filename"`
}

// numeral is a number, or a string that holds one.
type numeral int64

func (n numeral) MarshalJSON() ([]byte, error) {
	return []byte(`"` + strconv.FormatInt(int64(n), 10) + `"`), nil
}

func (n *numeral) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseInt(strings.Trim(string(b), `"`), 10, 64)
	if err != nil {
		v = 0 // "-" is usual for none
	}
	*n = numeral(v)
	return nil
}

const cdxTime = "20060102150405"

// String is the line, without its end.
func (e Entry) String() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s ", e.Key, e.Time.UTC().Format(cdxTime))
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(captured{e.URL, e.MIME, numeral(e.Status), e.Digest, numeral(e.Length), numeral(e.Offset), e.File}) // fails never
	return strings.TrimSuffix(b.String(), "\n")
}

// ParseEntry reads a line of a CDXJ index. The error matches [ErrHeader].
func ParseEntry(line string) (Entry, error) {
	key, rest, ok := strings.Cut(line, " ")
	stamp, text, ok2 := strings.Cut(rest, " ")
	var c captured
	if !ok || !ok2 || json.Unmarshal([]byte(text), &c) != nil || c.Offset < 0 || c.Length < 0 {
		return Entry{}, fmt.Errorf("%w: no line of a CDXJ index: %.80q", ErrHeader, line)
	}
	return Entry{key, parseDate(stamp), c.URL, c.MIME, int(c.Status), c.Digest, int64(c.Offset), int64(c.Length), c.File}, nil
}

// Index lists the captures that are left in r, in the order of the file. The
// File of each is name. Damage is told as by Records.
func (r *Reader) Index(name string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		var open *Entry // waits for its length
		flush := func(end int64) bool {
			e := open
			if open = nil; e == nil {
				return true
			}
			e.Length = max(end-e.Offset, 0)
			return yield(*e, nil)
		}
		for rec, err := range r.Records() {
			if err != nil {
				if !flush(0) || !yield(Entry{}, err) {
					return
				}
				continue
			}
			if !flush(rec.Offset) {
				return
			}
			open = rec.entry(name)
		}
		flush(r.s.at())
	}
}

// entry is what the index says of a record; nil: it lists no such record.
func (r *Record) entry(name string) *Entry {
	if r.URL == "" || r.Type != Response && r.Type != Revisit && r.Type != Resource && r.Type != Conversion {
		return nil
	}
	e := &Entry{Key: urlnorm.SURT(r.URL), Time: r.Date.Truncate(time.Second), URL: r.URL, MIME: r.MediaType(),
		Digest: r.Header.Get("WARC-Payload-Digest"), Offset: r.Offset, File: name}
	if strings.HasPrefix(e.MIME, "application/http") {
		e.MIME = ""
		if resp, err := r.HTTP(); err == nil {
			e.Status, e.MIME = resp.StatusCode, mediaType(resp.Header.Get("Content-Type"))
		}
	}
	if r.Type == Revisit {
		e.MIME = revisitMIME
	}
	return e
}

const revisitMIME = "warc/revisit"
