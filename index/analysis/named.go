package analysis

// Named returns the analyzer that a name stands for in every index: "standard",
// "english", and the languages that [NewSnowball] knows by their names, such as
// "german"; nil: there is none.
func Named(name string) Analyzer {
	switch name {
	case "standard":
		return Standard{}
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
	names := []string{"standard"}
	for _, s := range languages {
		names = append(names, s.name)
	}
	return names
}
