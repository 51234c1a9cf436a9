package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// Copy copies n elements, both packed. Elements are width bytes wide, or strings if width
// is 0.
func Copy(to, from []byte, width, n int) {
	if width == 0 {
		par.Copy(num.As[string](to)[:n], num.As[string](from)[:n])
		return
	}
	copyAll(to[:n*width], from[:n*width])
}

// copyAll copies memory of any size, in several goroutines if it is large.
func copyAll(to, from []byte) {
	if len(from) < 2*copyGrain {
		par.Copy(to[:len(from)], from)
		return
	}
	par.Each(len(from), len(from)/par.GrainBytes, func(lo, hi int) { par.Copy(to[lo:hi], from[lo:hi]) })
}

// copyOld copies the old values of data, if there are any, from a byte on.
func (c *Call) copyOld(from int) {
	if from < len(c.Old) {
		copyAll(c.Data[from:], c.Old[from:])
	}
}
