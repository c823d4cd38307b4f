package focus

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestTerms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"The Bees, buzzing's class bus": "bee buzzing class bus",
		"Öl 2nd x1 ÄPFEL naïve":         "öl nd äpfel naïve",
		"養蜂 honey蜂":                     "養 蜂 honey 蜂",
		"":                              "",
		"a I 12 of \xff\xfe the":        "",
		"http://www.honeyBee.com/x-y":   "honeybee",
	} {
		if got := strings.Join(slices.Collect(terms(text)), " "); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if got := strings.Join(slices.Collect(terms(addressWords("https://a.test/honeyBee/worker_bees.html"))), " "); got != "test honey bee worker bee" {
		t.Errorf("words of the URL %q", got)
	}
}

// topics are made in three ways from the same idea.
func topics(t *testing.T) map[string]Topic {
	t.Helper()
	var on, off []string
	for i := range 20 {
		on = append(on, fmt.Sprintf("bees fly to the hive number %d with nectar, honey and pollen, says the keeper of the bee", i))
		off = append(off, fmt.Sprintf("ships sail to the harbour number %d with cargo, rope and anchor, says the captain of the ship", i))
	}
	trained, err := Train(on, off)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Topic{"words": Words("bee, honey, hive, nectar, pollen"), "like": Like(on, off), "like alone": Like(on, nil), "bayes": trained}
}

func TestTopics(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("the weather of the day was fine and the road was long ", 20)
	for name, topic := range topics(t) {
		on := topic.Page(strings.Repeat("A bee came to the hive with nectar for honey and some pollen. ", 5) + long)
		off := topic.Page("The captain took the ship to the harbour, anchor and rope and cargo. " + long)
		if on < onTopic || off >= onTopic || math.IsNaN(on+off) || on > 1 || off < 0 {
			t.Errorf("%s: %.3f on, %.3f off topic", name, on, off)
		}
		honey, anchor, none := topic.Phrase("honey and nectar"), topic.Phrase("the harbour"), topic.Phrase("")
		if honey <= anchor || none != 0 || honey > 1 || anchor < 0 {
			t.Errorf("%s: honey %.3f, anchor %.3f, nothing %.3f", name, honey, anchor, none)
		}
		if topic.Page("") != 0 {
			t.Errorf("%s: an empty page is %v", name, topic.Page(""))
		}
	}
	if _, err := Train(nil, []string{"x"}); !errors.Is(err, ErrNoSamples) {
		t.Errorf("error %v", err)
	}
	if p := Words("").Page("anything at all"); p != 0 {
		t.Errorf("a topic of nothing: %v", p)
	}
}

// TestRarer: a word of the query that stands everywhere counts less.
func TestRarer(t *testing.T) {
	t.Parallel()
	topic := Words("worker drone queen hive brood")
	for range 40 {
		topic.Page("the worker at the factory goes home to the town by tram and train")
	}
	if drone, worker := topic.Phrase("drone"), topic.Phrase("worker"); drone < 0.65 || worker > drone/5 {
		t.Errorf("drone %.3f, worker %.3f", drone, worker)
	}
}

// TestHandWorked: one page by hand. Three distinct terms of a query of three, in
// a page of 300 terms before any other: each counts n/(n+1.2), of at most
// 3·3/4.2.
func TestHandWorked(t *testing.T) {
	t.Parallel()
	page := "bee bee bee honey hive hive " + strings.Repeat("road ", 294)
	want := (3/4.2 + 1/2.2 + 2/3.2) / (3 * 3 / 4.2)
	if got := Words("bee honey hive").Page(page); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]Address{
		"https://www.example.org/":           {HTTPS: true, Suffix: Public, Length: 24},
		"http://example.com/a/b-c_d/12.html": {Suffix: Commercial, Length: 34, Digits: 2.0 / 16, Depth: 3, Separators: 3},
		"http://example.co.uk?a=1&b=2":       {Suffix: Country, Length: 28, Digits: 2.0 / 7, Params: 2},
		"http://127.0.0.1:8080/x":            {Suffix: Numeric, Length: 23, Depth: 1},
		"http://[::1]/":                      {Suffix: Numeric, Length: 13},
		"https://example.dev/":               {HTTPS: true, Suffix: Network, Length: 20},
		"":                                   {Suffix: Network},
	} {
		got := AddressOf(url)
		if got.English < 0 || got.English > 1 {
			t.Errorf("%s: English %v", url, got.English)
		}
		got.English = 0
		if got.Digits != want.Digits && math.Abs(got.Digits-want.Digits) < 1e-9 {
			got.Digits = want.Digits
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", url, got, want)
		}
	}
}

func TestEnglish(t *testing.T) {
	t.Parallel()
	text := English("it was the best of times it was the worst of times and there was nothing to be done about the weather")
	words, hash := English("example/the-history-of-the-railway"), English("qxzjkvq/zxqjw/kqzx")
	if text < 0.9 || words < 0.7 || hash > 0.3 || English("a1") != 0.5 {
		t.Errorf("text %.3f, words %.3f, hash %.3f", text, words, hash)
	}
	// All letters alike: by hand, in the same way as any other distribution.
	sum, d := 0.0, 0.0
	for _, f := range frequencies {
		sum += f
	}
	for _, f := range frequencies {
		p, q := 1.0/26, f/sum
		m := (p + q) / 2
		d += p*math.Log2(p/m)/2 + q*math.Log2(q/m)/2
	}
	if got := English("abcdefghijklmnopqrstuvwxyz"); math.Abs(got-(1-d)) > 1e-9 {
		t.Errorf("the alphabet is %v, want %v", got, 1-d)
	}
}

func FuzzTopics(f *testing.F) {
	f.Add("bee honey", "http://a.test/x-1?y=2")
	f.Add("蜂 \xff ß", "://[::")
	f.Fuzz(func(t *testing.T, text, url string) {
		for name, topic := range topics(t) {
			for _, v := range []float64{topic.Page(text), topic.Phrase(text), Words(text).Page(text), Like([]string{text}, nil).Page(text)} {
				if !(v >= 0 && v <= 1) {
					t.Errorf("%s: %q is %v", name, text, v)
				}
			}
		}
		if a := AddressOf(url); !(a.English >= 0 && a.English <= 1) || a.Digits < 0 || a.Digits > 1 {
			t.Errorf("%q is %+v", url, a)
		}
	})
}
