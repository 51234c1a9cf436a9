//go:build gc && !noasm

package kernel

func hasHalves() bool { return hasF16C() }
