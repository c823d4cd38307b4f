package middleware

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/webquarry/quarry/crawler"
)

// entry is what the cache keeps of a page: a line of JSON with these fields,
// then the body as it was decoded.
//
//	{"URL":"http://a.test/","Status":200,"Header":{"Etag":["\"1\""]},"Wire":5, ... }\n
//	hello
type entry struct {
	URL      string // where the body came from
	Status   int
	Header   http.Header
	Varying  map[string][]string `json:",omitempty"` // what was asked with, of the names in Vary
	Location string              `json:",omitempty"`
	Addr     netip.Addr
	Fetched  time.Time // when it was asked for, or found to be still the same
	Took     time.Duration
	body     []byte
}

var errNoEntry = errors.New("no entry of the cache")

func newEntry(resp *crawler.Response, asked http.Header) *entry {
	e := &entry{URL: resp.URL, Status: resp.Status, Header: resp.Header.Clone(), Location: resp.Location, Addr: resp.Addr,
		Fetched: resp.Fetched, Took: resp.Took, body: resp.Body}
	names := varies(resp.Header)
	if len(asked.Values(authorization)) > 0 { // whatever the server says, it is the page of that user
		names = append(names, authorization)
	}
	for _, name := range names {
		if e.Varying == nil {
			e.Varying = make(map[string][]string)
		}
		e.Varying[name] = sent(asked, name)
	}
	return e
}

const authorization = "Authorization"

// sent returns what a request says under a name: of credentials hashes, for they
// have no place in a Store.
func sent(asked http.Header, name string) []string {
	values := asked.Values(name)
	if name != authorization && name != "Cookie" {
		return values
	}
	var sums []string
	for _, v := range values {
		sum := sha256.Sum256([]byte(v))
		sums = append(sums, hex.EncodeToString(sum[:16]))
	}
	return sums
}

// answers reports whether the entry is an answer to a request with such headers.
func (e *entry) answers(asked http.Header) bool {
	for name, values := range e.Varying {
		if name != "Cookie" && !slices.Equal(values, sent(asked, name)) {
			return false
		}
	}
	return slices.Equal(e.Varying[authorization], sent(asked, authorization))
}

func (e *entry) encode() ([]byte, error) {
	head, err := json.Marshal(e)
	return append(append(head, '\n'), e.body...), err
}

// decodeEntry reads what encode has made. The body is a part of b.
func decodeEntry(b []byte) (*entry, error) {
	head, body, ok := bytes.Cut(b, []byte("\n"))
	e := new(entry)
	if !ok {
		return nil, errNoEntry
	}
	if err := json.Unmarshal(head, e); err != nil {
		return nil, err
	}
	if e.URL == "" || e.Status < 100 || e.Header == nil {
		return nil, errNoEntry
	}
	e.body = body
	return e, nil
}

// response is the entry as an answer to req. status tells how it was had, in the
// header of RFC 9211.
func (e *entry) response(status string, age time.Duration) *crawler.Response {
	h := e.Header.Clone()
	h.Set("Cache-Status", "quarry; "+status)
	h.Set("Age", secondsOf(age))
	return &crawler.Response{URL: e.URL, Status: e.Status, Header: h, Body: bytes.Clone(e.body), Fetched: e.Fetched, Took: e.Took,
		Location: e.Location, Addr: e.Addr}
}
