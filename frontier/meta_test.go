package frontier

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/frontier/internal/request"
)

// TestMetaAgainstMap does random things with a Meta and with a map.
func TestMetaAgainstMap(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	keys := []string{"a", "listPrice", "a.b", "a.b.c", "quarry.x", "shop.price", "shop.price-old"}
	var m Meta
	model := map[string]string{}
	for range 5000 {
		key := keys[rnd.IntN(len(keys))]
		value := strings.Repeat(string(rune(rnd.IntN(300))), rnd.IntN(3)*rnd.IntN(100))
		before := m
		switch rnd.IntN(3) {
		case 0:
			m = m.Without(key)
			delete(model, key)
		case 1:
			other := keys[rnd.IntN(len(keys))]
			m = m.Merge(Meta{}.With(key, value).With(other, ""))
			model[key] = value
			delete(model, other)
		default:
			m = m.With(key, value).Merge(Meta{})
			model[key] = value
		}
		maps.DeleteFunc(model, func(_, v string) bool { return v == "" })
		if got := maps.Collect(m.All()); !maps.Equal(got, model) || m.Len() != len(model) {
			t.Fatalf("%v after %v, want %v", got, before, model)
		}
		for _, k := range keys {
			if m.Get(k) != model[k] {
				t.Fatalf("%s is %q, want %q", k, m.Get(k), model[k])
			}
		}
		var order []string
		for k := range m.All() {
			order = append(order, k)
		}
		if !slices.IsSorted(order) || !request.IsMeta(m.text) || m.check() != nil || len(model) == 0 && m != (Meta{}) {
			t.Fatalf("%q is not as it should be", m.text)
		}
	}
}

func TestMetaJSON(t *testing.T) {
	t.Parallel()
	m := Meta{}.With("b.b", "2").With("a.a", "<ü>")
	b, err := json.Marshal(m)
	if err != nil || m.String() != `a.a="<ü>" b.b="2"` {
		t.Errorf("%s, %v, %v", b, err, m)
	}
	var back Meta
	if err := json.Unmarshal(b, &back); err != nil || back != m {
		t.Errorf("%v, %v, want %v", back, err, m)
	}
	if json.Unmarshal([]byte(`{"a.a":1}`), &back) == nil {
		t.Error("a number is taken for a string")
	}
}

// FuzzMeta reads any bytes: what is taken for a Meta is one, written as With writes it.
func FuzzMeta(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte(Meta{}.With("a.b", "1").With("quarry.recrawl", "\x00\xff").text))
	f.Add([]byte{1, 0x83, 0, 'a', '.', 'b', 1, '1'})
	f.Add([]byte{2, 3, 'a', '.', 'b', 3, 'a', '.', 'b', 1, '1', 1, '2'})
	f.Fuzz(func(t *testing.T, b []byte) {
		if !request.IsMeta(b) {
			return
		}
		var m Meta
		for k, v := range (Meta{string(b)}).All() {
			m = m.With(k, v)
		}
		if m.text != string(b) || m.check() != nil {
			t.Errorf("% x is written as % x: %v", b, m.text, m.check())
		}
	})
}
