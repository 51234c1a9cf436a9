package main

func Example() {
	main()
	// Output:
	// loss 127
	// loss 1.25
	// loss 0.3125
	// ⎡0.875   1.75⎤
	// ⎢    0      0⎥
	// ⎣    5      6⎦
}
