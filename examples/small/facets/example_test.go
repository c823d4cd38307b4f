package main

func Example() {
	main()
	// Output:
	// 25.5 kettle for travels
	// 39 steel kettle
	// 45 glass kettle
	// Acme 2
	// Zenith 1
}
