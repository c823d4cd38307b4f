package commit

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/schema"
)

func exampleManifest(t testing.TB) (*Manifest, []byte) {
	t.Helper()
	deleted := bitset.New(100)
	deleted.Add(3)
	deleted.Add(10)
	m := &Manifest{
		ID:         pagefile.ID{Index: 7},
		Generation: 1,
		Next:       2,
		Schema:     schema.Fields{{Name: "body", Analyzer: "standard", Weight: 1}},
		Segments: []Segment{
			{Number: 0, ID: 0x35d1, Bytes: 5000, Docs: 100, DeletedDocs: deleted},
			{Number: 1, ID: 0xf00d, Bytes: 700, Docs: 3},
		},
	}
	b, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return m, b
}

// bodyOf returns what a page file has before its first footer, without its
// checkpoints: the others have nothing in them that is random.
func bodyOf(b []byte) (out []byte) {
	le := binary.LittleEndian
	foot := b[le.Uint64(b[len(b)-40:]):]
	out = b[:8:8]
	for i := range le.Uint32(foot) {
		s := foot[4+20*i:]
		if from, size := le.Uint64(s[4:]), le.Uint64(s[12:]); le.Uint16(s) != 0xffff {
			out = append(out, b[from:from+size]...)
		}
	}
	return out
}

// docs/formats/manifest.md shows what is written.
func TestManifestPage(t *testing.T) {
	t.Parallel()
	m, b := exampleManifest(t)
	got, err := ParseManifest(1, b)
	if err != nil {
		t.Fatal(err)
	}
	if got.ID.File = 0; !reflect.DeepEqual(got, m) {
		t.Errorf("%+v, want %+v", got, m)
	}
	page, err := os.ReadFile("../../../docs/formats/manifest.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "<!-- example -->")
	head, rest, _ := strings.Cut(example, "```json\n")
	object, tail, _ := strings.Cut(rest, "\n```")
	said := bytesOf(head) + hex.EncodeToString([]byte(object)) + bytesOf(tail)
	if want := hex.EncodeToString(bodyOf(b)); said != want {
		t.Errorf("the page says\n%s\nwritten is\n%s\n%s", said, want, bodyOf(b))
	}
}

// docs/formats/anchors.md shows a file that a test reads.
func TestAnchorsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/formats/anchors.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../../testdata/anchors1/anchors-6")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "<!-- example -->")
	if got := bytesOf(example); got != hex.EncodeToString(bodyOf(want)) {
		t.Errorf("the page says\n%s\nthe file is\n%x", got, bodyOf(want))
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

// A commit that cannot be is refused, also when its checksums are right.
func TestManifestRefusals(t *testing.T) {
	t.Parallel()
	m, b := exampleManifest(t)
	file := func(object string, deleted []byte, more ...uint16) []byte {
		var out bytes.Buffer
		w := pagefile.NewWriter(&out, 7)
		w.Begin(manifestObject, 0)
		w.Write([]byte(object))
		for _, kind := range append(more, manifestDeleted) {
			w.Begin(kind, 0)
			w.Write(deleted)
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	object, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	good := []byte{0, 3, 7}
	if got, err := ParseManifest(1, file(string(object), good, 99)); err != nil || got.Segments[0].DeletedDocs.Len() != 2 {
		t.Errorf("with a section to come: %v", err)
	}
	for what, spoiled := range map[string][]byte{
		"another magic":      append([]byte("x"), b[1:]...),
		"another end":        append(b[:len(b)-1:len(b)-1], b[len(b)-1]+1),
		"no object":          file("", good),
		"a wrong set":        file(string(object), []byte{9, 3, 7}),
		"a set too many":     file(string(object), nil),
		"another generation": file(strings.Replace(string(object), `"generation":1`, `"generation":2`, 1), good),
		"a wrong ID":         file(strings.Replace(string(object), "f00d", "food", 1), good),
		"a wrong field":      file(strings.Replace(string(object), `"docs":3`, `"docs":3,"columns":[{"field":1}]`, 1), good),
		"too many documents": file(strings.Replace(string(object), `"docs":3`, `"docs":4000000000`, 1), good),
		"nothing":            nil,
	} {
		if _, err := ParseManifest(1, spoiled); !errors.Is(err, fault.ErrCorrupt) {
			t.Errorf("%s: %v", what, err)
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
		{"segment-3 writer.lock", 0, false, fault.ErrCorrupt},
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
	f.Add(b, []byte(nil), []byte(nil))
	file, err := pagefile.Open(b)
	if err != nil {
		f.Fatal(err)
	}
	object, deleted, err := manifestSections(file)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(nil), object, deleted)
	f.Fuzz(func(t *testing.T, b, object, deleted []byte) {
		if len(b) == 0 { // what is behind right checksums
			var out bytes.Buffer
			w := pagefile.NewWriter(&out, 7)
			w.Begin(manifestObject, 0)
			w.Write(object)
			w.Begin(manifestDeleted, 0)
			w.Write(deleted)
			if err := w.Finish(); err != nil {
				t.Fatal(err)
			}
			b = out.Bytes()
		}
		m, err := ParseManifest(1, b)
		if err != nil {
			return
		}
		if _, err := m.Encode(); err != nil {
			t.Error(err)
		}
	})
}

// A commit whose scorer is none that there is, is damaged; all that can be kept is read
// as it was.
func TestManifestScorer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scorer Scorer
		bad    bool
	}{
		{Scorer{Text: "bm25(k1=1.5, idf=log_ratio)"}, false}, {Scorer{Text: `bm25f(b=0.1, fields["title"]=0, fields[""]=-1)`}, false},
		{Scorer{Text: "tfidf"}, false}, {Scorer{Type: "main.Own"}, false},
		{Scorer{}, true}, {Scorer{Text: "bm26"}, true}, {Scorer{Text: "bm25(idf=none)"}, true}, {Scorer{Text: "bm25", Type: "main.Own"}, true},
	} {
		m, _ := exampleManifest(t)
		m.Scorer = &c.scorer
		b, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseManifest(1, b)
		if c.bad != errors.Is(err, fault.ErrCorrupt) || !c.bad && (err != nil || !reflect.DeepEqual(got.Scorer, m.Scorer)) {
			t.Errorf("%+v: read as %+v, %v", c.scorer, got, err)
		}
	}
}
