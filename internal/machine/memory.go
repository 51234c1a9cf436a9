// Package machine says what the machine has that the program runs on.
package machine

// Memory is how many bytes of memory there are for the process, or more if the machine does not say.
func Memory() int64 { return memory() }

// unknownMemory is the memory of a machine that does not say how much it has.
const unknownMemory = 1 << 40
