package rank_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/webquarry/quarry/rank"
)

func TestMMRByHand(t *testing.T) {
	t.Parallel()
	twins := func(a, b rank.Hit) float64 { // a1 and a2 are the same, b is a little like them
		switch {
		case a.Key[0] == b.Key[0]:
			return 1
		case a.Key == "c" || b.Key == "c":
			return 0
		}
		return 0.2
	}
	for lambda, want := range map[float64][]string{
		1:   {"a1", "a2", "b", "c"},
		0:   {"a1", "b", "c", "a2"}, // b .3-.1, c 0, a2 .45-.5
		0.9: {"a1", "a2", "b", "c"}, // a2 .81-.1, b .54-.02
		-1:  {"a1", "c", "b", "a2"},
	} {
		hits := list("a1", 10, "a2", 9, "b", 6, "c", 0)
		if err := (rank.MMR{Lambda: lambda, Alike: twins}).Rank(t.Context(), "", hits); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(keys(hits), want) {
			t.Errorf("lambda %v: %v, want %v", lambda, keys(hits), want)
		}
	}
}

func TestCrowdingByHand(t *testing.T) {
	t.Parallel()
	hits := func() []rank.Hit { return list("a1", 9, "a2", 8, "a3", 7, "b1", 6, "a4", 5, "c1", 4, "b2", 3) }
	first := func(h rank.Hit) string { return h.Key[:1] }
	for _, c := range []struct {
		of   rank.Crowding
		want []string
	}{
		{rank.Crowding{Group: first}, []string{"a1", "a2", "b1", "c1", "b2", "a3", "a4"}},
		{rank.Crowding{Most: 1, Page: 3, Group: first}, []string{"a1", "b1", "c1", "a2", "b2", "a3", "a4"}},
		{rank.Crowding{Most: 1, Page: 1, Group: first}, keys(hits())},
		{rank.Crowding{Most: 1, Group: func(rank.Hit) string { return "" }}, keys(hits())},
		{rank.Crowding{Most: 1}, keys(hits())}, // no URLs
	} {
		got := hits()
		if err := c.of.Rank(t.Context(), "", got); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(keys(got), c.want) {
			t.Errorf("%d on %d: %v, want %v", c.of.Most, c.of.Page, keys(got), c.want)
		}
	}
}

// Both keep all hits with their scores; no page that could hold fewer of a group holds more than Most; where none are
// too many nothing changes.
func TestDiversityContract(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		hits := drawHits(t, "hits")
		crowding := rank.Crowding{Most: rapid.IntRange(0, 4).Draw(t, "most"), Page: rapid.IntRange(0, 6).Draw(t, "page")}
		mmr := rank.MMR{Lambda: anyFloat(rapid.Float64Range(0, 1)).Draw(t, "lambda"), Alike: func(a, b rank.Hit) float64 {
			return anyFloat(rapid.Float64Range(0, 1)).Draw(t, "alike")
		}}
		for _, by := range []rank.Ranker{crowding, mmr, rank.MMR{}} {
			got := slices.Clone(hits)
			if err := by.Rank(context.Background(), "", got); err != nil {
				t.Fatal(err)
			}
			count := map[string]int{}
			for i := range hits {
				count[fmt.Sprint(hits[i])]++
				count[fmt.Sprint(got[i])]--
			}
			for h, n := range count {
				if n != 0 {
					t.Fatalf("%T: %+d of %s", by, -n, h)
				}
			}
			if c, ok := by.(rank.Crowding); ok {
				uncrowded(t, c, got)
			}
		}
	})
}

// uncrowded checks that a hit too many on a page stands there only because all hits behind it would be too many there as well.
func uncrowded(t *rapid.T, c rank.Crowding, hits []rank.Hit) {
	most, page := c.Most, c.Page
	if most == 0 {
		most = 2
	}
	if page == 0 {
		page = len(hits)
	}
	for begin := 0; begin < len(hits); begin += page {
		count := map[string]int{}
		for i := begin; i < min(begin+page, len(hits)); i++ {
			if g := rank.HostOf(hits[i].Key); g == "" || count[g] < most {
				count[g]++
				continue
			}
			for _, h := range hits[i+1:] {
				if g := rank.HostOf(h.Key); g == "" || count[g] < most {
					t.Fatalf("%s is too many on the page of %d, and %s would not be: %v", hits[i].Key, begin, h.Key, keys(hits))
				}
			}
		}
	}
}

func TestDiversityCancelled(t *testing.T) {
	t.Parallel()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	for _, by := range []rank.Ranker{rank.MMR{}, rank.Crowding{}} {
		hits := list("a", 1, "b", 2)
		if err := by.Rank(ctx, "", hits); !errors.Is(err, cause) || hits[0].Key != "a" {
			t.Errorf("%T: %v, %v", by, err, hits)
		}
	}
}

func ExampleCrowding() {
	hits := []rank.Hit{
		{Key: "https://big.example/1", Score: 9}, {Key: "https://big.example/2", Score: 8}, {Key: "https://big.example/3", Score: 7},
		{Key: "https://small.example/", Score: 3}, {Key: "https://other.example/", Score: 2},
	}
	if err := (rank.Crowding{Most: 1, Page: 3}).Rank(context.Background(), "", hits); err != nil {
		fmt.Println(err)
	}
	for _, h := range hits {
		fmt.Println(h.Key)
	}
	// Output:
	// https://big.example/1
	// https://small.example/
	// https://other.example/
	// https://big.example/2
	// https://big.example/3
}

func ExampleMMR() {
	hits := []rank.Hit{
		{Key: "jaguar, the car", Score: 9, Fields: map[string]any{"topic": "cars"}},
		{Key: "jaguar, its dealers", Score: 8, Fields: map[string]any{"topic": "cars"}},
		{Key: "jaguar, the cat", Score: 6, Fields: map[string]any{"topic": "animals"}},
	}
	sameTopic := func(a, b rank.Hit) float64 {
		if a.Fields["topic"] == b.Fields["topic"] {
			return 1
		}
		return 0
	}
	if err := (rank.MMR{Alike: sameTopic}).Rank(context.Background(), "jaguar", hits); err != nil {
		fmt.Println(err)
	}
	for _, h := range hits {
		fmt.Println(h.Key)
	}
	// Output:
	// jaguar, the car
	// jaguar, the cat
	// jaguar, its dealers
}

func ExampleHostOf() {
	fmt.Println(rank.HostOf("https://docs.example.org:8443/a"), rank.HostOf("no URL") == "")
	// Output: docs.example.org true
}
