package warc_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler/warc"
)

// reads reports how much a Reader takes from its source.
type reads struct {
	*bytes.Reader
	n int64
}

func (r *reads) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += int64(n)
	return n, err
}

// TestLengthsBeyondEnd has records that all claim to be a gigabyte: each comes,
// with its error, and the file is not read to its end for each.
func TestLengthsBeyondEnd(t *testing.T) {
	t.Parallel()
	const n = 5000
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.test/%d\r\nContent-Length: %d\r\n\r\nhello\r\n\r\n", i, 1<<30)
	}
	src := &reads{Reader: bytes.NewReader(b.Bytes())}
	records, bad := 0, 0
	for _, err := range warc.NewReader(src, "huge.warc").Records() {
		if err != nil {
			bad++
		} else {
			records++
		}
	}
	if records != n || bad != n {
		t.Errorf("%d records and %d errors, want %d of each", records, bad, n)
	}
	if most := int64(n) * (128 << 10); src.n > most {
		t.Errorf("%d bytes read of a file of %d", src.n, b.Len())
	}
}

// TestMembersWithinMembers has a file in which every twenty bytes begins a gzip
// member that unpacks to the rest of the file, and holds no record.
func TestMembersWithinMembers(t *testing.T) {
	t.Parallel()
	unit := []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x00\xff\xff\x00\x00a\nbcd") // 65,535+5 bytes are a multiple of its length
	file := bytes.Repeat(unit, 20_000)
	begun := time.Now()
	r := warc.NewReader(bytes.NewReader(file), "nested.warc.gz")
	for rec, err := range r.Records() {
		if rec != nil {
			t.Errorf("a record at %d", rec.Offset)
		}
		if err == io.EOF {
			t.Error(err)
		}
		if time.Since(begun) > time.Minute {
			t.Fatal("it takes more than a minute")
		}
	}
}

// TestFirstMemberDamaged has compressed archives whose very first byte is
// wrong: the records behind the first are read all the same.
func TestFirstMemberDamaged(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	for i := range 5 {
		z := gzip.NewWriter(&file)
		fmt.Fprintf(z, "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.test/%d\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n", i)
		z.Close()
	}
	for _, at := range []int{0, 1, 2} {
		b := bytes.Clone(file.Bytes())
		b[at] ^= 0x55
		records, bad := 0, 0
		for rec, err := range warc.NewReader(bytes.NewReader(b), "first.warc.gz").Records() {
			if rec != nil {
				records++
			}
			if err != nil {
				bad++
			}
		}
		if records != 4 || bad != 1 {
			t.Errorf("byte %d damaged: %d records and %d errors, want 4 and 1", at, records, bad)
		}
	}
}
