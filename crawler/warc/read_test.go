package warc_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/webquarry/quarry/crawler/warc"
)

// record is a resource of some text.
func record(version, url, text string) []byte {
	return fmt.Appendf(nil, "%s\r\nWARC-Type: resource\r\nWARC-Target-URI: %s\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", version, url, len(text), text)
}

// read lists URL, block and offset of all records, and errors.
func read(src io.Reader) (got []string) {
	for rec, err := range warc.NewReader(src, "x").Records() {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		block, err := io.ReadAll(rec.Block)
		got = append(got, fmt.Sprint(rec.Offset, " ", rec.URL, " ", string(block), " ", err))
	}
	return got
}

func want(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	for _, v := range []string{"WARC/0.17", "WARC/0.18", "WARC/1.0", "WARC/1.1"} {
		want(t, v, read(bytes.NewReader(record(v, "http://a.test/", "one"))), "0 http://a.test/ one <nil>")
	}
	want(t, "0.9", read(bytes.NewReader(record("WARC/0.9", "http://a.test/", "one"))), "warc: x: offset 0: neither a WARC nor an ARC record")
}

// TestFields: a value may begin on the next line, and a date may be missing.
func TestFields(t *testing.T) {
	t.Parallel()
	for _, date := range []string{"", "WARC-Date:\r\n", "WARC-Date: soon\r\n"} {
		r := warc.NewReader(strings.NewReader("WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI:\r\n http://a.test/\r\n"+date+"Content-Length: 0\r\n\r\n\r\n\r\n"), "x")
		rec, err := r.Next()
		if err != nil || rec.URL != "http://a.test/" || !rec.Date.IsZero() {
			t.Errorf("%q: %+v, %v", date, rec, err)
		}
	}
}

// TestZstd reads a frame for each record, with a dictionary before them or not.
func TestZstd(t *testing.T) {
	t.Parallel()
	one, two := record("WARC/1.0", "http://a.test/1", "one"), record("WARC/1.0", "http://a.test/2", strings.Repeat("two ", 50_000))
	var samples [][]byte
	for n := range 50 {
		samples = append(samples, record("WARC/1.0", fmt.Sprint("http://a.test/", n), fmt.Sprint("sample ", n)))
	}
	dict, err := zstd.BuildDict(zstd.BuildDictOptions{ID: 1, Contents: samples, History: bytes.Join(samples, nil)})
	if err != nil {
		t.Fatal(err)
	}
	for name, opt := range map[string][]zstd.EOption{"plain": nil, "dictionary": {zstd.WithEncoderDict(dict)}, "checksum off": {zstd.WithEncoderCRC(false)}} {
		z, err := zstd.NewWriter(nil, opt...)
		if err != nil {
			t.Fatal(err)
		}
		var file []byte
		if name == "dictionary" {
			file = binary.LittleEndian.AppendUint32(file, 0x184d2a5d)
			file = append(binary.LittleEndian.AppendUint32(file, uint32(len(dict))), dict...)
		}
		begin := len(file)
		file = z.EncodeAll(one, file)
		second := len(file)
		file = z.EncodeAll(two, file)
		if name == "dictionary" {
			begin = 0 // the frame that holds it goes before
		}
		want(t, name, read(bytes.NewReader(file)), fmt.Sprintf("%d http://a.test/1 one <nil>", begin),
			fmt.Sprintf("%d http://a.test/2 %s <nil>", second, strings.Repeat("two ", 50_000)))
	}
}

// TestDamage: what is whole is read, wherever the damage is.
func TestDamage(t *testing.T) {
	t.Parallel()
	one, two, three := record("WARC/1.0", "http://a.test/1", "one"), record("WARC/1.0", "http://a.test/2", "two"), record("WARC/1.0", "http://a.test/3", "three")
	first, last := "0 http://a.test/1 one <nil>", func(at int) string { return fmt.Sprintf("%d http://a.test/3 three <nil>", at) }

	short := bytes.Replace(two, []byte("Length: 3"), []byte("Length: 1"), 1)
	want(t, "length too small", read(bytes.NewReader(slices.Concat(one, short, three))), first,
		fmt.Sprintf("%d http://a.test/2 t <nil>", len(one)), fmt.Sprintf("warc: x: offset %d: wrong Content-Length", len(one)), last(len(one)+len(two)))
	long := bytes.Replace(two, []byte("Length: 3"), []byte("Length: 9"), 1)
	got := read(bytes.NewReader(slices.Concat(one, long, three)))
	want(t, "length too great", got[2:], fmt.Sprintf("warc: x: offset %d: wrong Content-Length", len(one)), last(len(one)+len(two)))
	bare := bytes.TrimRight(two, "\r\n")
	want(t, "no line ends", read(bytes.NewReader(slices.Concat(one, bare, three))), first, fmt.Sprintf("%d http://a.test/2 two <nil>", len(one)), last(len(one)+len(bare)))

	var file []byte
	var at []int
	for _, rec := range [][]byte{one, two, three} {
		at = append(at, len(file))
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(rec)
		z.Close()
		file = append(file, b.Bytes()...)
	}
	torn := slices.Concat(file[:at[1]+30], file[at[2]:])
	got = read(bytes.NewReader(torn))
	if got[0] != first || got[len(got)-1] != last(at[1]+30) || len(got) != 3 {
		t.Errorf("a torn member: %q", got)
	}
	for i := at[1] + 10; i < at[2]; i++ {
		flipped := slices.Clone(file)
		flipped[i] ^= 0x55
		got := read(bytes.NewReader(flipped))
		if got[0] != first || got[len(got)-1] != last(at[2]) || !strings.Contains(strings.Join(got, " "), "warc: x: offset") {
			t.Errorf("byte %d: %q", i, got)
		}
	}
}
