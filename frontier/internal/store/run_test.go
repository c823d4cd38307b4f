package store

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/internal/durable"
)

// shelvedSample is requests of a few hosts in the order of a run.
func shelvedSample(n int) []request.Stored {
	rnd := rand.New(rand.NewPCG(1, 2))
	all := make([]request.Stored, n)
	for i := range all {
		x := &all[i]
		h := rnd.IntN(5)
		x.Decode(request.Append(nil, &request.Request{
			URL: fmt.Sprintf("http://h%d.test/%d", h, i), Via: []string{"", "http://h1.test/"}[rnd.IntN(2)],
			Label: []string{"", "list"}[rnd.IntN(2)], Depth: rnd.IntN(4), Attempt: rnd.IntN(2), Meta: []string{"", "", "\x01\x03a.b\x01\x01"}[rnd.IntN(3)], Variant: []string{"", "", "v"}[rnd.IntN(3)],
			Priority: float64(rnd.IntN(3)) - 1,
		}, &request.Request{}))
		x.Host, x.Seq = uint64(h)<<40, uint64(rnd.IntN(1000)*n+i+1)
		if rnd.IntN(3) == 0 {
			x.Lane, x.Due = request.LaterLane, int64(1+rnd.IntN(100))
		}
	}
	slices.SortFunc(all, func(a, b request.Stored) int {
		if a.Spot().Before(b.Spot()) {
			return -1
		}
		return 1
	})
	return all
}

// writeSample writes a run and returns its folder and the run.
func writeSample(t *testing.T, all []request.Stored, block int) (*durable.Dir, *Run) {
	t.Helper()
	dir, err := durable.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	w := NewWriter(block)
	w.Run.Number = 7
	for i := range all {
		w.Add(&all[i])
	}
	if err := w.Create(dir); err != nil {
		t.Fatal(err)
	}
	r, err := w.Finish(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return dir, r
}

// readAll reads a run from its start.
func readAll(r *Run) (all []request.Request, err error) {
	rd := &Reader{}
	rd.Start(r)
	for {
		ok, err := rd.Read()
		if err != nil || !ok {
			return all, err
		}
		all = append(all, rd.Request())
	}
}

// TestRun writes a run, reads it as a whole, and from behind every request.
func TestRun(t *testing.T) {
	t.Parallel()
	all := shelvedSample(400)
	for _, block := range []int{1, 100, 8 << 10} {
		_, r := writeSample(t, all, block)
		got, err := readAll(r)
		if err != nil || len(got) != len(all) || r.Count != len(all) {
			t.Fatalf("block %d: %d of %d requests, %v", block, len(got), len(all), err)
		}
		rd := &Reader{}
		for i := range all {
			if got[i] != all[i].Request() {
				t.Fatalf("block %d: request %d is %+v, want %+v", block, i, got[i], all[i].Request())
			}
			ok, err := rd.seek(r, all[i].Spot())
			if err != nil || ok != (i+1 < len(all)) || ok && rd.Spot() != all[i+1].Spot() {
				t.Fatalf("block %d: behind request %d: %v, %v", block, i, ok, err)
			}
		}
		if ok, err := rd.seek(r, request.Spot{}); !ok || err != nil || rd.Spot() != all[0].Spot() {
			t.Fatalf("block %d: before the first: %v, %v", block, ok, err)
		}
	}
}

// TestRunDamage flips every byte of a run, and cuts it everywhere.
func TestRunDamage(t *testing.T) {
	t.Parallel()
	all := shelvedSample(30)
	dir, r := writeSample(t, all, 200)
	path := filepath.Join(dir.Path(), RunFile(7))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	read := func(b []byte) error {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		broken, err := OpenRun(dir, 7, r.Count, r.Size)
		if err == nil {
			defer broken.Close()
			_, err = readAll(broken)
		}
		return err
	}
	for i := range whole {
		b := bytes.Clone(whole)
		b[i] ^= 0x10
		if err := read(b); !errors.Is(err, durable.ErrCorrupt) {
			t.Fatalf("byte %d: %v", i, err)
		}
		if err := read(whole[:i]); !errors.Is(err, durable.ErrCorrupt) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
	if err := read(whole); err != nil {
		t.Fatal(err)
	}
}

// TestRunExample holds the code to the bytes in the docs.
func TestRunExample(t *testing.T) {
	t.Parallel()
	var all []request.Stored
	for i, u := range []string{"http://a.example/b", "http://a.example/c"} {
		var x request.Stored
		x.Decode(request.Append(nil, &request.Request{URL: u, Via: "http://a.example/", Depth: 1}, &request.Request{}))
		x.Host, x.Seq = 0x1122334455667788, uint64(5+2*i)
		all = append(all, x)
	}
	dir, _ := writeSample(t, all, blockBytes)
	want, err := os.ReadFile(filepath.Join(dir.Path(), RunFile(7)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../../docs/formats/frontier-run.md")
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	for _, m := range regexp.MustCompile(`(?m)^    ((?:[0-9a-f]{2} (?:\| )?)*[0-9a-f]{2})$`).FindAllSubmatch(text, -1) {
		b, err := hex.DecodeString(strings.NewReplacer(" ", "", "|", "").Replace(string(m[1])))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, b...)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the page has\n% x\nthe code makes\n% x", got, want)
	}
}
