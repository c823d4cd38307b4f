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
	// 0 "dont" from "Don’t"
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

func ExampleNewSnowball() {
	german, err := analysis.NewSnowball("de", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for t := range german.Tokens("Die Häuser der Städte") {
		fmt.Print(t.Text, " ")
	}
	fmt.Println()
	// Output: die haus der stadt
}

// Documents are indexed in their language; a query is asked in all of them.
func ExampleLanguages() {
	l, err := analysis.NewLanguages("de", "fr")
	if err != nil {
		fmt.Println(err)
		return
	}
	for t := range l.In("de-CH").Tokens("Häuser") {
		fmt.Println("indexed:", t.Text)
	}
	fmt.Println("asked:", analysis.Slots(l, "Häuser")[0].Terms)
	// Output:
	// indexed: haus
	// asked: [hauser haus]
}

func ExampleNewSynonyms() {
	a := analysis.NewSynonyms(nil, []string{"usa", "united states"})
	for t := range a.Tokens("the United States") {
		fmt.Print(t.Pos, " ", t.Text, ", ")
	}
	fmt.Println(analysis.Slots(a, "the United States")[1].Terms)
	// Output: 0 the, 1 usa, 1 united, 2 states, [usa]
}

func ExampleIdentifiers() {
	for t := range (analysis.Identifiers{}).Tokens("parseHTTPRequest") {
		fmt.Print(t.Text, " ")
	}
	fmt.Println()
	// Output: parsehttprequest parse http request
}

func ExampleNewCompounds() {
	a := analysis.NewCompounds(nil, "dampf", "schiff", "fahrt")
	for t := range a.Tokens("Dampfschifffahrt") {
		fmt.Print(t.Text, " ")
	}
	fmt.Println()
	// Output: dampfschifffahrt dampf schiff fahrt
}
