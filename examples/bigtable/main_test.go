package main

func Example() {
	main()
	// Output:
	// step 0: squared error 1.54
	// step 100: squared error 0.03
	// step 200: squared error 0.01
	// step 300: squared error 0.00
	// step 400: squared error 0.00
}
