package main

func Example() {
	main()
	// Output:
	// 2.749 a
	// 0.916 b
	// 0.916 c
}
