package main

import (
	"testing"
	"testing/quick"
)

func TestGTIN(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"9520000410001":     "09520000410001",
		"952-0000-41000 1":  "09520000410001",
		"09520000410001":    "09520000410001",
		"036000291452":      "00036000291452", // UPC
		"0036000291452":     "00036000291452", // the same as an EAN
		"96385074":          "00000096385074", // EAN-8
		"9520000410007":     "",               // check digit
		"2000000000008":     "",               // a shop's own
		"0212345678903":     "",               // so are those in a UPC
		"20123451":          "",               // and in an EAN-8
		"0000000000000":     "",
		"952000041000":      "",
		"GTIN9520000410001": "",
		"":                  "",
	} {
		if got := gtin(in); got != want {
			t.Errorf("gtin(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFindMaker(t *testing.T) {
	t.Parallel()
	known := makers{}
	for _, f := range []facts{{Brand: "Morava", Model: "G80"}, {Brand: "Morava", Model: "G80 Pro"}, {Brand: "Voltik", Model: "PB-20"},
		{Brand: "Voltik", Model: "PB-200"}, {Brand: "Eisner", Model: "C24"}, {Brand: "Brandt & Söhne", Model: "Nr. 5"}, {Brand: "X", Model: "7"}, {Brand: "No model"}} {
		known.learn(f)
	}
	for name, want := range map[string]string{
		"MORAVA G 80 shop grinder":            "Morava G80",
		"Morava shop grinder, G-80 PRO":       "Morava G80 Pro",
		"power station VOLTIK PB 200":         "Voltik PB-200",
		"Voltik PB-20 (black)":                "Voltik PB-20",
		"Eisner casserole 24 cm":              "", // the number is its size
		"EISNER C 24 casserole 24 cm":         "Eisner C24",
		"Kettle PB-20 of another maker":       "",
		"Topf von Brandt und Soehne, Nr. 5":   "",
		"Topf von BRANDT & SÖHNE, Modell Nr5": "Brandt & Söhne Nr. 5",
		"X 7":                                 "", // too short to tell
		"":                                    "",
	} {
		brand, model, ok := known.find(name)
		got := brand + " " + model
		if !ok {
			got = ""
		}
		if got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestWithout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, brand, model, variant, want string }{
		{"Kestrel K-400 gooseneck kettle 0.8 l", "Kestrel", "K-400", "", "gooseneck kettle 0.8 l"},
		{"MORAVA G 65 burr coffee grinder (black)", "Morava", "G65", "black", "burr coffee grinder"},
		{"Eisner Gusseisenbräter 24 cm C24, rot", "Eisner", "C24", "rot", "Gusseisenbräter 24 cm"},
		{"Halden Primo 1 espresso machine, compact", "Halden", "Primo 1", "", "espresso machine, compact"},
		{"Morning lamp", "Mo", "ing", "", "Morning lamp"}, // words only
		{"Lumo", "Lumo", "D1", "", ""},
	} {
		if got := without(c.name, c.brand, c.model, c.variant); got != c.want {
			t.Errorf("%q: %q, want %q", c.name, got, c.want)
		}
	}
}

// Names are of others: none may be trouble.
func TestAnyName(t *testing.T) {
	t.Parallel()
	f := func(name, brand, model string) bool {
		known := makers{}
		known.learn(facts{Brand: brand, Model: model})
		known.find(name)
		known.find(brand + model)
		without(name+brand+" "+model+name, brand, model, name)
		return compact(compact(name)) == compact(name) && gtin(gtin(name)) == gtin(name)
	}
	if err := quick.Check(f, &quick.Config{MaxCount: 40}); err != nil {
		t.Error(err)
	}
}
