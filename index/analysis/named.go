package analysis

import "sync"

var auto = sync.OnceValue(newAuto)

// Named returns the analyzer that a name stands for in every index: "standard"; "auto", which
// is [Languages] of all languages that have stems; "english", and the languages that [NewSnowball] knows by their names, such as
// "german"; nil: there is none.
func Named(name string) Analyzer {
	switch name {
	case "standard":
		return Standard{}
	case "auto":
		return auto()
	case "english":
		return &English{}
	}
	for _, s := range languages {
		if s.name == name {
			a, _ := NewSnowball(name, nil)
			return a
		}
	}
	return nil
}

// Names lists the names that Named knows.
func Names() []string {
	names := []string{"standard", "auto"}
	for _, s := range languages {
		names = append(names, s.name)
	}
	return names
}
