package opset

import (
	"slices"
	"strings"

	"gorgonia.org/tensor"
)

// Dtypes is a set of dtypes that a version allows for one of its inputs.
type Dtypes []tensor.Dtype

// And is the set with more dtypes; the set itself stays as it is.
func (set Dtypes) And(more ...tensor.Dtype) Dtypes { return append(set[:len(set):len(set)], more...) }

// Has tells whether a dtype is in the set.
func (set Dtypes) Has(dt tensor.Dtype) bool { return slices.Contains(set, dt) }

// Text lists the dtypes by their names, without those that have none.
func (set Dtypes) Text(name func(tensor.Dtype) string) string {
	var names []string
	for _, dt := range set {
		if n := name(dt); n != "" {
			names = append(names, n)
		}
	}
	return strings.Join(names, ", ")
}
