package builders

import (
	"fmt"
	"hash/fnv"
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// pinned is a function whose result has its shape from the values that some
// inputs had when the graph was built. Those inputs stay operands, behind the
// function's own: another value is an error when the graph runs, and the nodes
// are no loose ends, which LispMachine would take for costs.
type pinned struct {
	function
	own   int // how many operands are the function's own
	lists []pin
}

// A pin is such an input: what it is called, and its value.
type pin struct {
	name string
	list []int
}

// String tells pins apart. The text of a long list is replaced by a hash of it: it
// becomes part of the names of nodes.
func (p pin) String() string {
	text := listed(p.list)
	if len(p.list) > shown {
		h := fnv.New64a()
		fmt.Fprint(h, p.list)
		text += fmt.Sprintf(" (hash %x)", h.Sum64())
	}
	return p.name + " " + text
}

func (f pinned) String() string { return fmt.Sprint(f.function, " with ", f.lists) }

func (f pinned) result(in []operand) (operand, error) { return f.function.result(in[:f.own]) }

func (f pinned) run(out *tensor.Dense, in []*tensor.Dense) error {
	for i, p := range f.lists {
		if list := integersOf(in[f.own+i]); !slices.Equal(list, p.list) {
			return fault.Errorf(dense.ErrOption, "%s is %v, and was %v when the graph was built", p.name, listed(list), listed(p.list))
		}
	}
	return f.function.run(out, in[:f.own])
}

func (f pinned) gradients(in []operand, out operand) []*term {
	return append(f.function.gradients(in[:f.own], out), make([]*term, len(f.lists))...)
}

// shown is how much of a list is printed.
const shown = 16

// listed is a list for an error, of which it shows the beginning.
func listed(list []int) string {
	if len(list) <= shown {
		return fmt.Sprint(list)
	}
	return fmt.Sprintf("%v and %d more", list[:shown], len(list)-shown)
}

// integersOf are the elements of a tensor of numbers.
func integersOf(t *tensor.Dense) []int {
	wide := t
	if t.Dtype() != tensor.Int64 {
		wide = newTensor(operand{tensor.Int64, t.Shape()})
		_ = casting{tensor.Int64}.run(wide, []*tensor.Dense{t}) // which fails for no number
	}
	list := make([]int, 0, count(t.Shape()))
	for _, x := range elements[int64](wide) {
		list = append(list, bounded(x))
	}
	return list
}
