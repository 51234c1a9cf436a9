package main

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"

	"github.com/pkg/errors"
	"github.com/x448/float16"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"gorgonia.org/gather"
	"gorgonia.org/gather/onnx"
)

// printGraph prints a line for each node, in the order in which they were added:
// what a node reads stands above it.
func printGraph(w io.Writer, model string, opset int, g *gorgonia.ExprGraph, built *onnx.Graph) {
	fmt.Fprintf(w, "%s, opset %d:\n", model, opset)
	roles := map[*gorgonia.Node][]string{}
	mark := func(ports []onnx.Port, role string, named bool) {
		for _, p := range ports {
			if named {
				roles[p.Node] = append(roles[p.Node], role+" "+p.Name)
			} else {
				roles[p.Node] = append(roles[p.Node], role)
			}
		}
	}
	mark(built.Inputs, "input", false)
	mark(built.Constants, "constant", false)
	mark(built.Outputs, "output", true)
	for _, n := range g.AllNodes() {
		if n.Type() == nil {
			continue // it reads an output: see onnx.Graph.Value
		}
		what := n.Name()
		if op := n.Op(); op != nil {
			what = op.String() + operands(g, n)
		}
		line := fmt.Sprintf("  %%%-3d %-10s %-14s %s", n.ID(), fmt.Sprint(n.Dtype()), fmt.Sprint(n.Shape()), what)
		if r := roles[n]; len(r) > 0 {
			line += "  (" + strings.Join(r, ", ") + ")"
		}
		fmt.Fprintln(w, line)
	}
}

// operands lists what a node reads, by the numbers at the start of their lines.
func operands(g *gorgonia.ExprGraph, n *gorgonia.Node) string {
	var list []string
	for from := g.From(n.ID()); from.Next(); {
		list = append(list, fmt.Sprintf("%%%d", from.Node().ID()))
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// printTensor prints a tensor as package tensor does, which leaves out the
// middle of a large one.
func printTensor(w io.Writer, name string, d *tensor.Dense) {
	fmt.Fprintf(w, "%s %v %v\n", name, d.Dtype(), d.Shape())
	if d.Shape().TotalSize() == 0 {
		return // package tensor cannot print it
	}
	for _, line := range strings.Split(fmt.Sprint(readable(d)), "\n") {
		if strings.TrimSpace(line) != "" {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
}

// readable turns the 16-bit floats, of which package tensor prints some as their
// bits, into float32.
func readable(d *tensor.Dense) *tensor.Dense {
	var widen func(bits uint16) float32
	switch d.Dtype() {
	case gather.BFloat16:
		widen = func(bits uint16) float32 { return math.Float32frombits(uint32(bits) << 16) }
	case gather.Float16:
		widen = func(bits uint16) float32 { return float16.Frombits(bits).Float32() }
	default:
		return d
	}
	wide := make([]float32, d.Shape().TotalSize())
	for i, bits := range d.Uint16s() {
		wide[i] = widen(bits)
	}
	return tensor.New(tensor.WithShape(d.Shape()...), tensor.WithBacking(wide))
}

// compare says where two tensors differ. A NaN equals a NaN here.
func compare(got, want *tensor.Dense) error {
	if got.Dtype() != want.Dtype() {
		return errors.Errorf("its type is %v, expected is %v", got.Dtype(), want.Dtype())
	}
	if !reflect.DeepEqual(append([]int{}, got.Shape()...), append([]int{}, want.Shape()...)) {
		return errors.Errorf("its shape is %v, expected is %v", got.Shape(), want.Shape())
	}
	size := want.Shape().TotalSize()
	if size == 0 {
		return nil
	}
	if want.Dims() == 0 {
		return different(nil, got.Get(0), want.Get(0))
	}
	position := make([]int, want.Dims())
	for range size {
		a, err := got.At(position...)
		if err != nil {
			return err
		}
		b, err := want.At(position...)
		if err != nil {
			return err
		}
		if err := different(position, a, b); err != nil {
			return err
		}
		for d := len(position) - 1; d >= 0; d-- {
			if position[d]++; position[d] < want.Shape()[d] {
				break
			}
			position[d] = 0
		}
	}
	return nil
}

func different(position []int, got, want any) error {
	if got == want || got != got && want != want { // the latter for NaN
		return nil
	}
	return errors.Errorf("at %v it is %v, expected is %v", position, got, want)
}

// plain is a machine's error in one line. RunAll puts the instruction and its
// registers in front of an operator's own error, which says it all.
func plain(err error) error {
	if bad, ok := onnx.AsNodeError(err); ok {
		return bad
	}
	return errors.New(strings.Join(strings.Fields(err.Error()), " "))
}
