package durable

import (
	"bytes"
	"encoding/hex"
	"os"
	"regexp"
	"strings"
	"testing"
)

// exampleLog builds the log of the worked example by hand.
func exampleLog() []byte {
	const salt = 0x0807060504030201
	b := appendHeader(nil, salt)
	b = appendFrame(b, salt, 20, 20, []byte("hello"))
	b = appendFrame(b, salt, 33, 33, []byte("world"))
	return appendFrame(b, salt, 46, 46, nil)
}

// TestWorkedExample holds the code to the bytes in its comment and in the docs.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	want := exampleLog()
	for _, file := range []string{"frame.go", "../../docs/formats/log.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		for _, m := range regexp.MustCompile(`(?m)^(?://\t|    )\d\d  ([0-9a-f |]+)$`).FindAllSubmatch(text, -1) {
			b, err := hex.DecodeString(strings.NewReplacer(" ", "", "|", "").Replace(string(m[1])))
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			got = append(got, b...)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s has\n% x\nthe code makes\n% x", file, got, want)
		}
	}
	var recs []string
	s, err := scanLog(bytes.NewReader(want), int64(len(want)), collect(&recs))
	if err != nil || s.end != int64(len(want)) || !s.marked || strings.Join(recs, " ") != "hello world" {
		t.Errorf("read back as %q, %+v, %v", recs, s, err)
	}
}

// collect is a replay that keeps the records.
func collect(recs *[]string) func([]byte) error {
	return func(rec []byte) error {
		*recs = append(*recs, string(rec))
		return nil
	}
}
