package core

import "gorgonia.org/gather/internal/kernel"

// inPacked runs a kernel that needs packed memory on a view, and on a packed
// copy of a view that is not packed.
func inPacked(v *view, run func(v *view) error) error {
	p := packed(v)
	if err := run(&p); err != nil {
		return err
	}
	if !v.packed {
		copyView(v, &p)
	}
	return nil
}

// ontoPacked is inPacked for a kernel that overwrites all elements.
func ontoPacked(v *view, run func(v *view) error) error {
	if v.packed {
		return inPacked(v, run)
	}
	p := v.asPacked()
	p.mem = make([]byte, v.size*v.width)
	if err := run(&p); err != nil {
		return err
	}
	copyView(v, &p)
	return nil
}

// clearView sets all elements, which are no strings, to zero.
func clearView(v *view) {
	if v.packed {
		kernel.Clear(v.mem[:v.size*v.width])
		return
	}
	zeros := repeated(zero, v)
	copyView(v, &zeros)
}

// zero is the memory of a zero of any kind.
var zero = make([]byte, 16)
