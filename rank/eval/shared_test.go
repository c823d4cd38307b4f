package eval

import (
	"io"
	"os"
	"testing"
)

func readFile[T any](t *testing.T, name string, read func(io.Reader) (T, error)) T {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := read(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}
