package kernel

import "gorgonia.org/gather/internal/num"

// Copy copies n elements from data to items, both packed. Elements are width
// bytes wide, or strings if width is 0.
func (c *Call) Copy(width, n int) {
	if width == 0 {
		copyAny(num.As[string](c.Items)[:n], num.As[string](c.Data)[:n])
		return
	}
	c.Run(copyBytes, n*width, copyGrain)
}

// Clear sets memory of any size to zero.
func Clear(mem []byte) { clearAny(mem) }

func copyBytes(c *Call, lo, hi int) int {
	copyAny(c.Items[lo:hi], c.Data[lo:hi])
	return -1
}
