package warc

import (
	"bytes"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"hash"
	"io"
	"net/netip"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"
)

// The profiles of revisit records (WARC 1.1, 6.7).
const (
	profileDigest      = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	profileNotModified = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
)

const (
	dateLayout = "2006-01-02T15:04:05.000Z"
	httpAnswer = "application/http; msgtype=response"
	httpAsked  = "application/http; msgtype=request"
	fieldsType = "application/warc-fields"
)

// draft is a record to be written: its fields but for those that follow from
// the block, and the block, which is a head and perhaps a body after it.
type draft struct {
	header Header
	head   []byte
	body   *spool
	entry  *Entry // for the index; nil: it is not listed
	size   int64  // as written
}

func newDraft(kind, id, url string, at time.Time) *draft {
	d := &draft{header: Header{{"WARC-Type", kind}, {"WARC-Record-ID", id}, {"WARC-Date", formatDate(at)}}}
	d.add("WARC-Target-URI", url)
	return d
}

// add sets a field, unless it would be empty.
func (d *draft) add(name, value string) {
	if value != "" {
		d.header = append(d.header, Field{name, value})
	}
}

func (d *draft) addAddr(a netip.Addr) {
	if a.IsValid() {
		d.add("WARC-IP-Address", a.Unmap().WithZone("").String())
	}
}

func formatDate(t time.Time) string { return t.UTC().Format(dateLayout) }

// newID makes a record id: a random UUID (RFC 9562, version 4).
func newID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("<urn:uuid:%x-%x-%x-%x-%x>", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// newHash is the digest algorithm of an archive.
func newHash(sha256s bool) hash.Hash {
	if sha256s {
		return sha256.New()
	}
	return sha1.New()
}

// label writes a digest as the field does.
func label(h hash.Hash) string {
	name := "sha1:"
	if h.Size() == sha256.Size {
		name = "sha256:"
	}
	return name + base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil))
}

// block reads the block.
func (d *draft) block() io.Reader {
	if d.body == nil {
		return bytes.NewReader(d.head)
	}
	return io.MultiReader(bytes.NewReader(d.head), d.body.reader())
}

// encode writes the record, whole, in a gzip member of its own unless z is nil.
func (d *draft) encode(to *spool, z *gzip.Writer, sum hash.Hash) error {
	before := to.n
	sum.Reset()
	size, err := io.Copy(sum, d.block())
	if err != nil {
		return err
	}
	var head bytes.Buffer
	head.WriteString("WARC/1.1\r\n")
	for _, f := range d.header {
		head.WriteString(f.Name + ": " + f.Value + "\r\n")
	}
	head.WriteString("WARC-Block-Digest: " + label(sum) + "\r\nContent-Length: " + strconv.FormatInt(size, 10) + "\r\n\r\n")
	out := io.Writer(to)
	if z != nil {
		z.Reset(to)
		out = z
	}
	for _, part := range [...]io.Reader{&head, d.block(), bytes.NewReader([]byte("\r\n\r\n"))} {
		if _, err := io.Copy(out, part); err != nil {
			return err
		}
	}
	if z != nil {
		if err := z.Close(); err != nil {
			return err
		}
	}
	d.size = to.n - before
	return nil
}
