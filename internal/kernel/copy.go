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
	c := Get()
	c.Describe(&Description{Data: to[:n*width], Old: from[:n*width]}).copyOld(0)
	c.Put()
}

// copyOld copies the old values of data, if there are any, from a byte on, in several goroutines if
// they are many.
func (c *Call) copyOld(from int) {
	switch n := len(c.Old) - from; {
	case n >= 2*copyGrain:
		par.Run((*oldValues)(c), n, n/par.GrainBytes)
	case n > 0:
		par.Copy(c.Data[from:len(c.Old)], c.Old[from:])
	}
}

// oldValues is a Call as the work of copying old values, of which the last come first.
type oldValues Call

func (c *oldValues) Piece(lo, hi int) int {
	lo, hi = len(c.Old)-hi, len(c.Old)-lo
	par.Copy(c.Data[lo:hi], c.Old[lo:hi])
	return -1
}
