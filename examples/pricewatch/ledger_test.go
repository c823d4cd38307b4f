package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func readAll(t *testing.T, name string) (all []sighting, size int64) {
	t.Helper()
	size, err := readLedger(name, func(s sighting) { all = append(all, s) })
	if err != nil {
		t.Fatal(err)
	}
	return all, size
}

// What was synced is read back; a line that a crash broke off is not, and the
// next one takes its place.
func TestLedger(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "prices.jsonl")
	if all, size := readAll(t, name); len(all) != 0 || size != 0 {
		t.Errorf("no file holds %v", all)
	}
	first := seen("A", "/1", "1", 10, facts{Name: "K <&> \u2028", GTIN: "09520000410001"})
	second := sighting{At: monday, Shop: "A", URL: "http://a.test/2", Gone: true}
	for i, s := range []sighting{first, second} {
		all, size := readAll(t, name)
		if len(all) != i {
			t.Fatalf("%d sightings, want %d", len(all), i)
		}
		l, err := openLedger(name, size)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.add(s); err != nil {
			t.Fatal(err)
		}
		if err := l.close(); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(`{"at":"2026-03-02T08:00:00Z","shop":"A","ur`); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	all, _ := readAll(t, name)
	if diff := cmp.Diff([]sighting{first, second}, all); diff != "" {
		t.Error(diff)
	}
}

func TestDamagedLedger(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for text, want := range map[string]string{
		"{\"shop\":\"A\",\"url\":\"u\"}\n{]\n":             "line 2: ",
		"{\"shop\":\"A\"}\n":                               "line 1: no shop or no URL",
		"{\"shop\":\"A\",\"url\":\"u\",\"price\":\"3\"}\n": "line 1: ",
		"\n": "line 1: ",
	} {
		name := filepath.Join(dir, "prices.jsonl")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readLedger(name, func(sighting) {}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A thing that is what it was costs a short line, and is read back whole.
func TestShortLines(t *testing.T) {
	t.Parallel()
	c := catalogOf()
	s := seen("A", "/1", "1", 10, facts{Name: "K"})
	again := later(s, 1, 9, inStock)
	again.Facts = &facts{Name: "K"}
	if kept := c.take(s); kept.Facts == nil {
		t.Error("the first time without facts")
	}
	kept := c.take(again)
	if kept.Facts != nil {
		t.Errorf("the second time with %+v", kept.Facts)
	}
	d := catalogOf(s, kept)
	if p := d.products[0]; p.Name != "K" || p.Price != 9 {
		t.Errorf("%+v", p)
	}
	again.Facts.Name = "L"
	if kept := c.take(again); kept.Facts == nil {
		t.Error("with another name without facts")
	}
}
