package seen

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	exampleFile = regexp.MustCompile("(?m)^`(seen[-0-9]*)`, ([0-9]+) bytes")
	exampleLine = regexp.MustCompile(`^    (\d{4})  ([0-9a-f |]+)$`)
)

// exampleFiles reads the files of the worked example in the documentation.
func exampleFiles(t *testing.T) map[string][]byte {
	page, err := os.ReadFile("../../../docs/formats/seen.md")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	var b []byte
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSuffix(line, "\n")
		if m := exampleFile.FindStringSubmatch(line); m != nil {
			size, _ := strconv.Atoi(m[2])
			b = make([]byte, size)
			files[m[1]] = b
		}
		if m := exampleLine.FindStringSubmatch(line); m != nil {
			at, _ := strconv.Atoi(m[1])
			part, err := hex.DecodeString(strings.NewReplacer(" ", "", "|", "").Replace(m[2]))
			if err != nil {
				t.Fatal(err)
			}
			copy(b[at:], part)
		}
	}
	return files
}

// TestWorkedExample holds the code to the bytes in the documentation: it writes
// them and reads them.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	s := openSet(t, path)
	model{}.add(t, s, []uint64{1, 2, 3})
	s.Freeze(7)
	if err := errors.Join(s.Commit(t.Context()), s.Close()); err != nil {
		t.Fatal(err)
	}
	files := exampleFiles(t)
	if len(files) != 2 {
		t.Fatalf("%d files in the documentation", len(files))
	}
	written := t.TempDir()
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(path, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s, %v: the documentation has\n% x\nthe code makes\n% x", name, err, want, got)
		}
		if err := os.WriteFile(filepath.Join(written, name), want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s = openSet(t, written)
	model{1: true, 2: true, 3: true}.compare(t, s)
	if s.Mark() != 7 {
		t.Errorf("mark %d", s.Mark())
	}
}
