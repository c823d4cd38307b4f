package fuzzy

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// vocabulary is that of an imagined collection of 6,000 pages.
func vocabulary() *QGrams {
	docs := map[string]int{
		"python": 4000, "tutorial": 900, "the": 6000, "form": 60, "from": 5500, "api": 40, "any": 3000, "apt": 2,
		"list": 2500, "comprehension": 300, "accommodation": 12, "acclimatisation": 3, "database": 1500, "databases": 400,
		"receive": 700, "relieve": 20, "teh": 2, "phyton": 1, "window": 800, "functions": 2000, "vacuum": 90, "café": 5, "йога": 7, "don't": 500,
		"cat": 50, "dog": 60, "and": 6000, "matrix": 30, "metric": 31,
	}
	return New(func(yield func(string, int) bool) {
		for word, n := range docs {
			if !yield(Fold(word), n) {
				return
			}
		}
	})
}

func TestCorrect(t *testing.T) {
	t.Parallel()
	s := Speller{Words: vocabulary()}
	cases := []struct{ query, want string }{
		{"pyhton tutorail", "python tutorial"},
		{"Pyhton  TUTORAIL?", "python  tutorial?"},
		{"python tutorial", ""},
		{"", ""},
		{"api", ""},  // known, however near "any" is
		{"form", ""}, // ninety times as rare as "from", and right
		{"teh window", "the window"},
		{"phyton", ""}, // far rarer than "python", but two edits from it
		{"xy", ""},     // too short to say
		{"zzzzzzzz", ""},
		{"recieve", "receive"},
		{"acommodation", "accommodation"},
		{"cafe", ""}, // no error after folding
		{"CAFÉ", ""},
		{"йогу", "йога"},
		{"windwo-funtcions", "window-functions"},
		{"(pyhton OR databse) AND tutorail", "(python OR database) AND tutorial"},
		{"+pyhton -tutorail", "+python -tutorail"},
		{"pyhton NOT tutorail databse", "python NOT tutorail database"},
		{"pyhton NOT (tutorail databse) vacum", "python NOT (tutorail databse) vacuum"},
		{"adn", "and"},
		{`"pyhton tutorail"`, ""},
		{`"pyhton tutorail" databse`, `"pyhton tutorail" database`},
		{`“pyhton tutorail” databse`, `“pyhton tutorail” database`},
		{`databse "pyhton tutorail`, `database "pyhton tutorail`},
		{`title:pyhton tutorail`, `title:pyhton tutorial`},
		{`title:"pyhton tutorail" databse`, `title:"pyhton tutorail" database`},
		{`title:(pyhton "a)" tutorail) databse`, `title:(pyhton "a)" tutorail) database`},
		{`-title:(pyhton) databse`, `-title:(pyhton) database`},
		{`-"pyhton" databse`, `-"pyhton" database`},
		{"https://pyhton.org/ databse", "https://pyhton.org/ database"},
		{"pyhton3 pyht* pyhton~1 pyhton^2 py.thno pyh_ton", ""},
		{"pyhton - tutorail", "python - tutorial"},
		{"dont", "don't"},
		{"'pyhton'", "'python'"},
		{"数据库pyhton 数据库", ""},
	}
	for _, c := range cases {
		got, ok := s.Correct(c.query, nil)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("Correct(%q) = %q, %v, want %q", c.query, got, ok, c.want)
		}
	}
}

func TestCorrectAsksForHits(t *testing.T) {
	t.Parallel()
	s := Speller{Words: vocabulary()}
	hits := map[string]int{"python": 9, "databse": 3, "database": 3}
	asked := 0
	count := func(query string) int { asked++; return hits[query] }
	if got, ok := s.Correct("pyhton", count); got != "python" || !ok {
		t.Errorf("more hits: %q, %v", got, ok)
	}
	if got, ok := s.Correct("databse", count); ok {
		t.Errorf("as many hits: offered %q", got)
	}
	asked = 0
	if s.Correct("python", count); asked != 0 {
		t.Errorf("asked %d times although nothing was to be changed", asked)
	}
}

func TestRarer(t *testing.T) {
	t.Parallel()
	s := Speller{Words: vocabulary(), Rarer: 50}
	if got, _ := s.Correct("form", nil); got != "from" {
		t.Errorf("with Rarer 50, form becomes %q", got)
	}
}

func TestNormal(t *testing.T) {
	t.Parallel()
	s := Speller{Words: New(seq("PYTHON")), Normal: strings.ToUpper}
	if got, _ := s.Correct("pyhton python", nil); got != "PYTHON python" {
		t.Errorf("got %q", got)
	}
}

func TestSuggest(t *testing.T) {
	t.Parallel()
	s := Speller{Words: vocabulary()}
	var got []string
	for _, m := range s.Suggest("databsae", -1) {
		got = append(got, m.Text)
	}
	if want := []string{"database", "databases"}; !slices.Equal(got, want) {
		t.Errorf("Suggest = %q, want %q", got, want)
	}
	// The first letter outweighs ten times the frequency, the last one five times.
	letters := Speller{Words: New(func(yield func(string, int) bool) { _ = yield("bat", 100) && yield("cab", 50) && yield("cut", 10) })}
	if got := letters.Suggest("cat", -1); len(got) != 3 || got[0].Text != "cut" || got[1].Text != "cab" || got[2].Text != "bat" {
		t.Errorf("Suggest(cat) = %v", got)
	}
	// A doubled letter outweighs frequency, too.
	doubled := Speller{Words: New(func(yield func(string, int) bool) { _ = yield("later", 100) && yield("letter", 10) })}
	if got := doubled.Suggest("leter", 2); len(got) != 2 || got[0].Text != "letter" || got[1].Text != "later" {
		t.Errorf("Suggest(leter) = %v", got)
	}
	// Letters left out or swapped outweigh letters replaced.
	swapped := Speller{Words: New(func(yield func(string, int) bool) { _ = yield("recipes", 100) && yield("receive", 10) })}
	if got := swapped.Suggest("reciev", 2); len(got) != 2 || got[0].Text != "receive" || got[1].Text != "recipes" {
		t.Errorf("Suggest(reciev) = %v", got)
	}
	for _, m := range s.Suggest("python", -1) {
		if m.Text == "python" {
			t.Error("suggests the word itself")
		}
	}
	if got := s.Suggest("pyhton", 0); got != nil {
		t.Errorf("limit 0 gives %v", got)
	}
	var none Speller
	if got := none.Suggest("pyhton", -1); got != nil {
		t.Errorf("no words give %v", got)
	}
	if got, ok := none.Correct("pyhton", nil); ok {
		t.Errorf("no words correct to %q", got)
	}
}

// Whatever is asked, pieces cover the query and nothing panics.
func FuzzCorrect(f *testing.F) {
	for _, q := range []string{`pyhton "a b" (c OR d) -e NOT f title:(g "h) i")`, `"`, "(", "NOT", "-", "a:", "--", "\xff\"", "«a» b", strings.Repeat("(", 1000)} {
		f.Add(q)
	}
	s := Speller{Words: vocabulary()}
	f.Fuzz(func(t *testing.T, query string) {
		for rest := query; rest != ""; {
			n, plain := piece(rest)
			if n < 1 || n > len(rest) {
				t.Fatalf("piece of %q has length %d", rest, n)
			}
			if plain && strings.ContainsAny(rest[:n], `"():+*~^ `) {
				t.Fatalf("%q is no plain word", rest[:n])
			}
			rest = rest[n:]
		}
		if got, ok := s.Correct(query, nil); ok && (got == query || utf8.ValidString(query) && !utf8.ValidString(got)) {
			t.Fatalf("Correct(%q) = %q", query, got)
		}
	})
}
