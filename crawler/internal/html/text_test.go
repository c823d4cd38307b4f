package html

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/webquarry/quarry/internal/unicodetest"
)

// What is shortened ends at a grapheme cluster, as long as one has room.
func TestClip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s    string
		n    int
		want string
	}{
		{"abc", 5, "abc"}, {"abcdef", 3, "abc"}, {"some more words", 11, "some more"}, {"e\u0301e\u0301e\u0301", 7, "e\u0301e\u0301"}, {"🇩🇪🇫🇷", 12, "🇩🇪"}, {"x" + strings.Repeat("\u0301", 9), 6, "x\u0301\u0301"},
	} {
		if got := clip(c.s, c.n); got != c.want {
			t.Errorf("clip(%q, %d) = %q, want %q", c.s, c.n, got, c.want)
		}
	}
	unicodetest.Each(t, 2000, func(r *rand.Rand, text string) {
		text = strings.ToValidUTF8(text, "\uFFFD")
		n := 1 + r.IntN(80)
		got := clip(text, n)
		if len(got) > n || !strings.HasPrefix(text, got) {
			t.Errorf("clip(%+q, %d) = %+q", text, n, got)
		}
		at, first := 0, true
		for g := graphemes.FromString(text); at < len(got) && g.Next(); first = false {
			if at += len(g.Value()); at > len(got) && !first {
				t.Errorf("clip(%+q, %d) = %+q parts a cluster", text, n, got)
			}
		}
	})
}
