package index

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index/internal/bitset"
)

// sealed gives a commit the right checksum.
func sealed(b []byte) []byte {
	body := b[:len(b)-4]
	return binary.LittleEndian.AppendUint32(body[:len(body):len(body)], crc32.Checksum(body, castagnoli))
}

func exampleManifest(t testing.TB) (*manifest, []byte) {
	t.Helper()
	deleted := bitset.New(100)
	deleted.Add(3)
	deleted.Add(10)
	m := &manifest{
		Next:   2,
		Schema: Schema{{Name: "body", Analyzer: "standard", Weight: 1}},
		Segments: []manifestSegment{
			{Number: 0, Bytes: 5000, Docs: 100, deleted: deleted},
			{Number: 1, Bytes: 700, Docs: 3},
		},
	}
	b, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	return m, b
}

// docs/formats/manifest.md shows what is written.
func TestManifestPage(t *testing.T) {
	t.Parallel()
	m, b := exampleManifest(t)
	if got, err := parseManifest("commit-1", b); err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("%+v, %v, want %+v", got, err, m)
	}
	page, err := os.ReadFile("../docs/formats/manifest.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "<!-- example -->")
	head, rest, _ := strings.Cut(example, "```json\n")
	object, tail, _ := strings.Cut(rest, "\n```")
	got := bytesOf(head) + hex.EncodeToString([]byte(object)) + bytesOf(tail)
	if want := hex.EncodeToString(b); got != want {
		t.Errorf("the page says\n%s\nwritten is\n%s", got, want)
	}
}

// docs/formats/anchors.md shows a file that a test reads.
func TestAnchorsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/formats/anchors.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/anchors3/anchors-6")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "<!-- example -->")
	if got := bytesOf(example); got != hex.EncodeToString(want) {
		t.Errorf("the page says\n%s\nthe file is\n%x", got, want)
	}
}

// bytesOf returns the bytes of lines such as "    01 02 | what it is".
func bytesOf(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if bytes, _, ok := strings.Cut(line, "|"); ok {
			out.WriteString(strings.ReplaceAll(bytes, " ", ""))
		}
	}
	return out.String()
}

func TestManifestRefusals(t *testing.T) {
	t.Parallel()
	_, b := exampleManifest(t)
	for _, c := range []struct {
		what  string
		spoil func(b []byte) []byte
		want  error
	}{
		{"a newer version", func(b []byte) []byte { b[8] = 4; return sealed(b) }, ErrVersion},
		{"another magic", func(b []byte) []byte { b[0]++; return sealed(b) }, ErrCorrupt},
		{"another checksum", func(b []byte) []byte { b[len(b)-1]++; return b }, ErrCorrupt},
		{"a long object", func(b []byte) []byte { b[14]++; return sealed(b) }, ErrCorrupt},
		{"no object", func(b []byte) []byte { b[16] = 'x'; return sealed(b) }, ErrCorrupt},
		{"a wrong set", func(b []byte) []byte { b[len(b)-7] = 9; return sealed(b) }, ErrCorrupt},
		{"nothing", func(b []byte) []byte { return nil }, ErrCorrupt},
	} {
		_, err := parseManifest("commit-1", c.spoil(append([]byte(nil), b...)))
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

func TestNewestCommit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		names string
		n     uint64
		ok    bool
		err   error
	}{
		{"", 0, false, nil},
		{"commit-9 commit-10 commit-010 commit-11.tmp commit-x ._commit-12", 10, true, nil},
		{"segment-3 commit-2", 2, true, nil},
		{"segment-3 writer.lock", 0, false, ErrCorrupt},
		{"segment-3.keys.tmp writer.lock", 0, false, nil},
	} {
		n, ok, err := newestCommit(strings.Fields(c.names))
		if n != c.n || ok != c.ok || !errors.Is(err, c.err) {
			t.Errorf("%s: %d, %v, %v", c.names, n, ok, err)
		}
	}
}

func FuzzManifest(f *testing.F) {
	_, b := exampleManifest(f)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= 4 {
			b = sealed(b)
		}
		m, err := parseManifest("commit-1", b)
		if err != nil {
			return
		}
		if _, err := m.encode(); err != nil {
			t.Error(err)
		}
	})
}
