package core

import (
	"sync"

	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// mostBytes is what a result may take: no more than the memory of the machine.
// A larger one is a mistake. It comes from shapes with empty dims, such as data
// (0, 1<<36), whose own size is nothing, and to allocate it would end the process.
var mostBytes = sync.OnceValue(func() int64 { return min(machineMemory(), int64(^uint(0)>>1)) })

// unknownMemory is the memory of a machine that does not say how much it has.
const unknownMemory = 1 << 40

// fits refuses elements of a shape that would take more than mostBytes. What says
// what they are.
func fits(op, what string, shape tensor.Shape, width int) error {
	bytes, ok := int64(width), true
	for _, n := range shape {
		if n == 0 {
			return nil
		}
		if bytes, ok = times(bytes, int64(n)); !ok {
			break
		}
	}
	most := mostBytes()
	if ok && bytes <= most {
		return nil
	}
	atLeast := ""
	if !ok {
		atLeast = "at least "
	}
	return fault.Errorf(shapes.ErrShape, "%s: %s of shape %v would take %s%d bytes of memory, this machine has %d",
		op, what, fault.Shape(shape), atLeast, bytes, most)
}

// times is a product that ends at the greatest int64.
func times(a, b int64) (product int64, ok bool) {
	if a > maxInt64/b {
		return maxInt64, false
	}
	return a * b, true
}

const maxInt64 = 1<<63 - 1
