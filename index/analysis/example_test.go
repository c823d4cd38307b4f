package analysis_test

import (
	"fmt"

	"github.com/webquarry/quarry/index/analysis"
)

func ExampleStandard() {
	text := "Don’t run pg_dump in a café"
	for t := range (analysis.Standard{}).Tokens(text) {
		fmt.Printf("%d %q from %q\n", t.Pos, t.Text, text[t.Start:t.End])
	}
	// Output:
	// 0 "don't" from "Don’t"
	// 1 "run" from "run"
	// 2 "pg" from "pg"
	// 3 "dump" from "dump"
	// 4 "in" from "in"
	// 5 "a" from "a"
	// 6 "cafe" from "café"
}

func ExampleEnglish() {
	for t := range new(analysis.English).Tokens("Connections connected") {
		fmt.Println(t.Text)
	}
	// Output:
	// connect
	// connect
}

func ExampleNewStopWords() {
	a := analysis.NewStopWords(analysis.Standard{}, analysis.EnglishStopWords()...)
	for t := range a.Tokens("the soup of the day") {
		fmt.Println(t.Pos, t.Text)
	}
	// Output:
	// 1 soup
	// 4 day
}

func ExampleSlots() {
	fmt.Println(analysis.Slots(analysis.Standard{}, "list.append"))
	fmt.Println(analysis.Slots(analysis.Standard{}, "数学家")) // pairs, without their parts
	// Output:
	// [{[list] 0} {[append] 1}]
	// [{[数学] 0} {[学家] 1}]
}
