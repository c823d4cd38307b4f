package mall

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
)

//go:embed files/catalogue.txt
var catalogueText string

// product is one thing that can be bought: of a line of the catalogue, in one
// of its colours.
type product struct {
	row                 int // in the catalogue, from 0 on
	number              int // of all products, from 0 on
	category            string
	brand, model        string
	english, german     string
	colour, colourInGer string  // empty: it comes in one
	eur                 float64 // what it costs, before any shop adds its own
	sold                string  // letters of the shops that have it
}

// catalogue reads the bundled products.
func catalogue() (all []product) {
	row := 0
	for line := range strings.Lines(catalogueText) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		cell := strings.Split(line, "|")
		for i := range cell {
			cell[i] = strings.TrimSpace(cell[i])
		}
		eur, err := strconv.ParseFloat(cell[5], 64)
		if err != nil {
			panic(err) // the file is part of the program
		}
		for colour := range strings.SplitSeq(cell[7], ",") {
			en, de, _ := strings.Cut(strings.TrimSpace(colour), " ")
			all = append(all, product{row: row, number: len(all), category: cell[0], brand: cell[1], model: cell[2],
				english: cell[3], german: cell[4], colour: en, colourInGer: de, eur: eur, sold: cell[6]})
		}
		row++
	}
	return all
}

// gtin is the number of the bar code. The prefix 952 is that of examples.
func (p product) gtin() string {
	digits := fmt.Sprintf("9520%08d", 41_000+37*p.number)
	sum := 0
	for i, d := range digits {
		sum += int(d-'0') * (1 + 2*(i%2))
	}
	return digits + strconv.Itoa((10-sum%10)%10)
}

// slug is a piece of an address.
func slug(parts ...string) string {
	words := strings.FieldsFunc(strings.ToLower(strings.Join(parts, " ")), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
	return strings.Join(words, "-")
}

// course is how the price of an offer goes from day to day, as a factor. There
// are six courses, so that a history shows something: steady, sliding, a sale
// that comes again, rising, up and down, and one cut.
func course(offer, day int) float64 {
	d := float64(day)
	switch offer % 6 {
	case 1:
		return 1 - 0.03*math.Min(d, 4)
	case 2:
		if phase := day % 5; phase == 2 || phase == 3 {
			return 0.82
		}
	case 3:
		return 1 + 0.02*math.Min(math.Ceil(d/2), 3)
	case 4:
		return 1 - 0.06*float64(day%2)
	case 5:
		if day >= 3 {
			return 0.86
		}
	}
	return 1
}

// inStock says whether a shop has the product on a day.
func inStock(p product, shop, day int) bool { return (3*p.row+5*shop+day)%11 != 0 }
