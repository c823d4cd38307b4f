package warc

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"encoding/gob"
	"hash/crc32"
	"strings"
	"time"

	"github.com/webquarry/quarry/internal/durable"
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
	id, url string // the id is not known of what was read in an index
	at      time.Time
	file    string // that it is in
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
func (s *seen) load(d *durable.Dir, index string) {
	f, err := d.OpenFile(index)
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
			s.add(e.Digest, capture{url: e.URL, at: e.Time, file: e.File})
		}
	}
}

// What is remembered is kept in a file when a Writer is closed, so that the next one need not
// read the indexes of all that went before. It is this, gob-encoded, behind its CRC-32C [4].
// Without it, or where it is damaged, the indexes are read.
type kept struct {
	Serial   int // of the last file that it knows of
	Files    []string
	Payloads []keptCapture
	Pages    []keptCapture
}

type keptCapture struct {
	Key     []byte // digest of the payload, or of the URL
	ID, URL string
	At      int64 // in nanoseconds since 1970
	File    int   // in Files
}

// save writes down what is remembered.
func (s *seen) save(d *durable.Dir, serial int) error {
	k := kept{Serial: serial}
	files := make(map[string]int)
	keep := func(key []byte, c capture) keptCapture {
		at, ok := files[c.file]
		if !ok {
			at = len(k.Files)
			files[c.file] = at
			k.Files = append(k.Files, c.file)
		}
		return keptCapture{key, c.id, c.url, c.at.UnixNano(), at}
	}
	for digest, c := range s.payloads {
		k.Payloads = append(k.Payloads, keep([]byte(digest), c))
	}
	for key, c := range s.pages {
		k.Pages = append(k.Pages, keep(key[:], c))
	}
	var b bytes.Buffer
	b.Write(make([]byte, 4))
	if err := gob.NewEncoder(&b).Encode(k); err != nil {
		return err
	}
	binary.LittleEndian.PutUint32(b.Bytes(), crc32.Checksum(b.Bytes()[4:], castagnoli))
	return d.Replace(seenName, b.Bytes())
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// restore remembers what was kept, but for captures whose files are not there any more, and
// returns the number of the last file that was known then; zero: nothing was kept.
func (s *seen) restore(d *durable.Dir, there []string) (serial int) {
	*s = newSeen()
	b, err := d.ReadFile(seenName)
	if err != nil || len(b) < 4 || crc32.Checksum(b[4:], castagnoli) != binary.LittleEndian.Uint32(b) {
		return 0
	}
	var k kept
	if err := gob.NewDecoder(bytes.NewReader(b[4:])).Decode(&k); err != nil {
		return 0
	}
	isThere := make(map[string]bool)
	for _, name := range there {
		isThere[name] = true
	}
	files := make(map[int]string)
	for i, name := range k.Files {
		if isThere[name] {
			files[i] = name
		}
	}
	took := func(c keptCapture) (capture, bool) {
		file, ok := files[c.File]
		return capture{c.ID, c.URL, time.Unix(0, c.At), file}, ok
	}
	for _, p := range k.Payloads {
		if c, ok := took(p); ok && len(s.payloads) < maxSeen {
			s.payloads[string(p.Key)] = c
		}
	}
	for _, p := range k.Pages {
		if c, ok := took(p); ok && len(p.Key) == 8 && len(s.pages) < maxSeen {
			s.pages[[8]byte(p.Key)] = c
		}
	}
	return k.Serial
}
