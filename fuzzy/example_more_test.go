package fuzzy_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/webquarry/quarry/fuzzy"
)

func ExampleMetric_Align() {
	for _, e := range fuzzy.MetricOSA.Align("receive", "recieve") {
		if e.Cost > 0 {
			fmt.Println(e)
		}
	}
	// Output: "ei"→"ie" at 3
}

func ExampleBetween() {
	fmt.Println(fuzzy.OSA("👍🏽!", "!"), fuzzy.Between(fuzzy.MetricOSA, fuzzy.Clusters("👍🏽!"), fuzzy.Clusters("!")))
	// Output: 2 1
}

func ExampleTokenSet() {
	fmt.Printf("%.2f %.2f\n", fuzzy.TokenSet("mega paper", "paper mega ltd"), fuzzy.Ratio("mega paper", "paper mega ltd"))
	// Output: 1.00 0.42
}

func ExampleTrigrams() {
	fmt.Printf("%.2f\n", fuzzy.Trigrams("word", "two words"))
	// Output: 0.36
}

func ExampleLearnCosts() {
	costs := fuzzy.LearnCosts(maps.All(map[string]string{"phone": "fone", "photo": "foto", "phase": "fase", "phrase": "frase"}))
	fmt.Println(costs.Distance("phoenix", "foenix") < costs.Distance("phoenix", "goenix"))
	// Output: true
}

func ExampleEnglish() {
	words := fuzzy.New(maps.All(map[string]int{"enough": 500, "word": 900, "split": 300, "weather": 200, "wether": 3, "forecast": 80}))
	s := fuzzy.English(words)
	s.Pairs = fuzzy.NewPairs(maps.All(map[[2]string]int{{"weather", "forecast"}: 60}))
	for _, query := range []string{"enuff", "wordsplit", "wether forecast"} {
		better, _ := s.Correct(query, nil)
		fmt.Println(better)
	}
	// Output:
	// enough
	// word split
	// weather forecast
}

func ExampleSpeller_Expand() {
	s := fuzzy.English(fuzzy.New(maps.All(map[string]int{"database": 1500, "datatype": 80})))
	for word, by := range s.Expand("databse") {
		fmt.Println(word, by)
	}
	// Output: database 1
}

func ExampleCompleter() {
	c := fuzzy.NewCompleter(slices.Values([]fuzzy.Entry{{Text: "New York City", Weight: 9}, {Text: "York Minster", Weight: 5}, {Text: "Newark", Weight: 3}}))
	for _, typed := range []string{"n", "york", "new yrok"} {
		for _, e := range c.Complete(typed, fuzzy.CompleteOptions{Limit: 2}) {
			fmt.Printf("%s: %s\n", typed, e.Text)
		}
	}
	// Output:
	// n: New York City
	// n: Newark
	// york: York Minster
	// york: New York City
	// new yrok: New York City
}

func ExampleNames() {
	names := fuzzy.NewNames(slices.Values([]fuzzy.Entry{{Text: "Mega Paper Ltd"}, {Text: "Paper Mate Company"}, {Text: "Acme Corp."}}))
	for _, m := range names.Match("paper mega", fuzzy.SimilarOptions{Threshold: 0.5}) {
		fmt.Printf("%.2f %s\n", m.Similarity, m.Text)
	}
	// Output: 0.73 Mega Paper Ltd
}
