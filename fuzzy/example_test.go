package fuzzy_test

import (
	"fmt"
	"maps"
	"strings"

	"github.com/webquarry/quarry/fuzzy"
)

func ExampleNew() {
	docs := map[string]int{"receive": 700, "relieve": 20, "recipe": 90, "deceive": 5}
	words := fuzzy.New(maps.All(docs))
	for _, m := range words.Match("recieve", 2, 3) {
		fmt.Println(m.Text, m.Distance, m.Weight)
	}
	// Output:
	// receive 1 700
	// relieve 1 20
	// recipe 2 90
}

func ExampleQGrams_Complete() {
	words := fuzzy.New(maps.All(map[string]int{"database": 1500, "databases": 400, "datatype": 80}))
	for _, m := range words.Complete("databs", 1, 5) {
		fmt.Println(m.Text, m.Distance)
	}
	// Output:
	// database 1
	// databases 1
}

func ExampleRead() {
	words, err := fuzzy.Read(strings.NewReader("the 23135851162\nof 13151942776\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(words.Len(), words.Match("teh", 1, 1)[0].Text)
	// Output: 2 the
}

func ExampleOSA() {
	fmt.Println("Levenshtein:", fuzzy.Levenshtein("ca", "abc"))
	fmt.Println("OSA:", fuzzy.OSA("ca", "abc"))
	fmt.Println("Damerau-Levenshtein:", fuzzy.DamerauLevenshtein("ca", "abc"))
	fmt.Println("a swap:", fuzzy.Levenshtein("recieve", "receive"), fuzzy.OSA("recieve", "receive"))
	// Output:
	// Levenshtein: 3
	// OSA: 3
	// Damerau-Levenshtein: 2
	// a swap: 2 1
}

func ExampleOSAAtMost() {
	fmt.Println(fuzzy.OSAAtMost("kitten", "sitting", 3))
	fmt.Println(fuzzy.OSAAtMost("kitten", "sitting", 2))
	// Output:
	// 3 true
	// 0 false
}

func ExampleFold() {
	fmt.Println(fuzzy.Fold("Naïve"), fuzzy.Fold("STRASSE") == fuzzy.Fold("Straße"))
	// Output: naive true
}

// Did you mean? The vocabulary is that of an index, with the number of
// documents for each word; the index also tells how many hits a query has.
func ExampleSpeller_Correct() {
	docs := map[string]int{"python": 4000, "tutorial": 900, "api": 40, "any": 3000}
	hits := func(query string) int {
		if query == "python tutorial" {
			return 850
		}
		return 0
	}
	speller := fuzzy.Speller{Words: fuzzy.New(maps.All(docs))}
	if better, ok := speller.Correct("pyhton tutorail", hits); ok {
		fmt.Println("Did you mean:", better)
	}
	_, ok := speller.Correct("api", nil)
	fmt.Println("api is wrong:", ok)
	// Output:
	// Did you mean: python tutorial
	// api is wrong: false
}

func ExampleSpeller_Suggest() {
	docs := map[string]int{"later": 100, "letter": 10, "better": 900}
	for _, m := range (fuzzy.Speller{Words: fuzzy.New(maps.All(docs))}).Suggest("leter", 2) {
		fmt.Println(m.Text)
	}
	// Output:
	// letter
	// later
}

// Expansion fits what an index wants of an expander.
func ExampleExpansion() {
	words := fuzzy.New(maps.All(map[string]int{"receive": 700, "relieve": 20}))
	for word, weight := range (fuzzy.Expansion{Matcher: words}).Expand("recieve") {
		fmt.Println(word, weight)
	}
	// Output:
	// receive 0.5
	// relieve 0.5
}
