package warc

import (
	"bufio"
	"crypto/sha1"
	"os"
	"strings"
	"time"
)

// maxSeen is how many payloads and URLs are remembered, some 20 MB of them.
const maxSeen = 1 << 16

// seen knows what was written before, so that it need not be written again.
type seen struct {
	payloads map[string]capture  // by digest
	pages    map[[8]byte]capture // by a digest of the URL
}

// capture is a record that others can refer to.
type capture struct {
	id, url string // the id is not known of earlier runs
	at      time.Time
}

func newSeen() seen {
	return seen{payloads: map[string]capture{}, pages: map[[8]byte]capture{}}
}

func (s *seen) full() bool { return len(s.payloads) >= maxSeen }

func pageKey(url string) (key [8]byte) {
	sum := sha1.Sum([]byte(url))
	copy(key[:], sum[:])
	return key
}

// add remembers a capture. One that is remembered already stays, as the one to
// refer to; of a page it is the last that counts.
func (s *seen) add(digest string, c capture) {
	if _, known := s.payloads[digest]; !known && digest != "" {
		forget(s.payloads)
		s.payloads[digest] = c
	}
	forget(s.pages)
	s.pages[pageKey(c.url)] = c
}

// forget makes room for one more, taking any.
func forget[K comparable](m map[K]capture) {
	if len(m) < maxSeen {
		return
	}
	for k := range m {
		delete(m, k)
		return
	}
}

// load remembers the captures of an index. What cannot be read is not missed:
// the payload is then written once more.
func (s *seen) load(index string) {
	f, err := os.Open(index)
	if err != nil {
		return
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxHeader)
	for lines.Scan() && !s.full() {
		// The seconds of an index do not do to name a capture exactly, but
		// those of WARC-Refers-To-Date are allowed to be as coarse.
		if e, err := ParseEntry(lines.Text()); err == nil && e.Status == 200 && e.MIME != revisitMIME && strings.Contains(e.Digest, ":") {
			s.add(e.Digest, capture{url: e.URL, at: e.Time})
		}
	}
}
