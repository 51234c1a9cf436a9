package builders

import (
	"fmt"
	"slices"
	"strings"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	G "gorgonia.org/gorgonia"
)

// An axisName is a letter of an equation or, if negative, an axis that "..." stands
// for, counted from the last one, -1.
type axisName rune

// An equation is one of Einsum, with its inputs.
type equation struct {
	factors []factor
	result  []axisName
	sizes   map[axisName]int
}

// parseEquation reads an equation for the inputs.
func parseEquation(text string, inputs []*G.Node) (*equation, error) {
	wrong := func(format string, args ...any) error {
		return fault.Errorf(dense.ErrOption, "equation %q: %s", fault.Cut(text), fmt.Sprintf(format, args...))
	}
	left, right, given := strings.Cut(strings.ReplaceAll(text, " ", ""), "->")
	terms := strings.Split(left, ",")
	if len(terms) != len(inputs) {
		return nil, wrong("%d terms for %d inputs", len(terms), len(inputs))
	}
	e := &equation{sizes: map[axisName]int{}}
	open, times := 0, map[axisName]int{}
	for i, term := range terms {
		shape := inputs[i].Shape()
		dots := len(shape) - len(strings.ReplaceAll(term, "...", ""))
		if !strings.Contains(term, "...") {
			dots = 0
		}
		open = max(open, dots)
		axes, err := axesOf(term, dots)
		if err != nil {
			return nil, wrong("term %q: %v", fault.Cut(term), err)
		}
		if dots < 0 || len(axes) != len(shape) {
			return nil, fault.Errorf(dense.ErrShape, "equation %q: term %q for input %d of shape %v", fault.Cut(text), fault.Cut(term), i, shape)
		}
		for d, name := range axes {
			n, known := e.sizes[name]
			if at := slices.Index(axes[:d], name); at >= 0 && shape[at] != shape[d] {
				return nil, fault.Errorf(dense.ErrShape, "equation %q: axes %d and %d of input %d, %v, have sizes %d and %d", fault.Cut(text), at, d, i, name, shape[at], shape[d])
			}
			if known && n != 1 && shape[d] != 1 && shape[d] != n {
				return nil, fault.Errorf(dense.ErrShape, "equation %q: axis %d of input %d, %v, has size %d, not %d", fault.Cut(text), d, i, name, shape[d], n)
			}
			if !known || n == 1 {
				e.sizes[name] = shape[d]
			}
			times[name]++
		}
		e.factors = append(e.factors, factor{inputs[i], axes})
	}
	switch {
	case !given:
		right = implicit(times, open)
	case open > 0 && !strings.Contains(right, "..."):
		return nil, wrong("the result has no \"...\"")
	}
	var err error
	if e.result, err = axesOf(right, open); err != nil {
		return nil, wrong("result %q: %v", fault.Cut(right), err)
	}
	for i, name := range e.result {
		if times[name] == 0 {
			return nil, wrong("%v of the result is in no term", name)
		}
		if slices.Contains(e.result[:i], name) {
			return nil, wrong("%v is in the result twice", name)
		}
	}
	return e, nil
}

// axesOf are the axes that a term names, with as many for "..." as dots.
func axesOf(term string, dots int) ([]axisName, error) {
	before, after, open := strings.Cut(term, "...")
	var axes []axisName
	letters := func(s string) error {
		for _, r := range s {
			if r < 'A' || r > 'Z' && r < 'a' || r > 'z' {
				return fmt.Errorf("%q is no letter", r)
			}
			axes = append(axes, axisName(r))
		}
		return nil
	}
	if err := letters(before); err != nil {
		return nil, err
	}
	for d := -dots; open && d < 0; d++ {
		axes = append(axes, axisName(d))
	}
	return axes, letters(after)
}

// implicit is the result of an equation that does not name it.
func implicit(times map[axisName]int, open int) string {
	var once []rune
	for name, n := range times {
		if n == 1 && name > 0 {
			once = append(once, rune(name))
		}
	}
	slices.Sort(once)
	if open > 0 {
		return "..." + string(once)
	}
	return string(once)
}

func (a axisName) String() string {
	if a < 0 {
		return fmt.Sprintf("axis %d of \"...\"", int(a))
	}
	return fmt.Sprintf("%q", rune(a))
}
