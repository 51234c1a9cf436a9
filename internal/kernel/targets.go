package kernel

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// Targets writes down, for every element of the items in row-major order, the
// place in data that its index picks. Items and data must be described by Dims
// with row-major strides; no data is needed.
func (c *Call) Targets(targets []int) int {
	c.Items = num.Bytes(targets)
	c.width = int(unsafe.Sizeof(0))
	n, grain := c.walkGrain()
	if n == 0 {
		return -1
	}
	c.step = targetLine
	return c.Run(pick(c.Idx32, walk[int, int32], walk[int, int64]), n, grain)
}

var targetLine LineFunc[int] = func(targets, _ []int, itemAt, dataAt, n, stepItems, stepData int) {
	for i := range n {
		targets[itemAt+i*stepItems] = dataAt + i*stepData
	}
}
