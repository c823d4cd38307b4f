package main

func Example() {
	main()
	// Output:
	// hi: historic (1)
	// hi: history (1)
	// che: cheese (3)
	// cheze history: did you mean cheese history?
}
