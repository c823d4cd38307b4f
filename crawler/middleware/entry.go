package middleware

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
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
	for _, name := range varies(resp.Header) {
		if e.Varying == nil {
			e.Varying = make(map[string][]string)
		}
		e.Varying[name] = asked.Values(name)
	}
	return e
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
