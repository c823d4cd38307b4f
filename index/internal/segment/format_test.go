package segment_test

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index/internal/invert"
	"github.com/webquarry/quarry/index/internal/segment"
)

// The example of docs/formats/segment.md is what is written.
func TestDocumentedExample(t *testing.T) {
	t.Parallel()
	doc := func(key, title string, words ...string) invert.Doc {
		d := invert.Doc{Key: key, Fields: []invert.FieldTokens{{Number: 1, Name: "body", Positions: true}}}
		for i, w := range words {
			d.Fields[0].Tokens = append(d.Fields[0].Tokens, invert.Token{Term: w, Pos: uint32(i)})
		}
		d.Small, d.Large = segment.Record([]segment.Value{{Field: 0, Strings: []string{title}}})
		return d
	}
	got := build(t, doc("a", "A", "to", "be", "to"), doc("b", "B", "be"))
	page, err := os.ReadFile("../../../docs/formats/segment.md")
	if err != nil {
		t.Fatal(err)
	}
	_, page2, ok := strings.Cut(string(page), "<!-- example -->")
	if !ok {
		t.Fatal("the page has no example")
	}
	var want strings.Builder
	for line := range strings.Lines(page2) {
		if bytes, _, ok := strings.Cut(line, "|"); ok && strings.HasPrefix(line, "    ") {
			want.WriteString(strings.ReplaceAll(bytes, " ", ""))
		}
	}
	got = bodyOf(got)
	if hex.EncodeToString(got) != want.String() {
		t.Errorf("the page says\n%s\nwritten is\n%s", want.String(), hex.Dump(got))
	}
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
