package core

import (
	"sync"

	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/machine"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// mostBytes is what a result may take: no more than the memory of the machine.
// A larger one is a mistake. It comes from shapes with empty dims, such as data
// (0, 1<<36), whose own size is nothing, and to allocate it would end the process.
var mostBytes = sync.OnceValue(func() int64 { return min(machine.Memory(), int64(^uint(0)>>1)) })

// Fits refuses elements of a shape and dtype that would take more memory than the machine
// has. What says what they are.
func Fits(op, what string, shape tensor.Shape, dt tensor.Dtype) error {
	if _, err := elem.Width(dt); err != nil {
		return err
	}
	bytes, most := float64(dt.Size()), mostBytes()
	for _, n := range shape {
		bytes *= float64(n)
	}
	if !(bytes > float64(most)) { // not a number if it is infinite before a dim of 0
		return nil
	}
	return fault.Errorf(shapes.ErrShape, "%s: %s of shape %v would take %.0f bytes of memory, this machine has %d", op, what, fault.Shape(shape), bytes, most)
}
