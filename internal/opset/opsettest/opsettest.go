// Package opsettest holds what the tests of packages onnx and openvino do alike:
// tensors to test with, and that an operator does the same in a graph and without
// one.
package opsettest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// An Operation is one use of an operator, in a graph and without.
type Operation struct {
	Apply func(inputs ...*gorgonia.Node) (*gorgonia.Node, error)
	Eval  func(inputs ...tensor.Tensor) (*tensor.Dense, error)
}

// Both computes an operation by Eval and by Apply on a TapeMachine, and demands
// that the two agree: in the value bit for bit, or in the error. A nil input is
// one that is left out.
func (o Operation) Both(t *testing.T, inputs ...*tensor.Dense) (*tensor.Dense, error) {
	t.Helper()
	want, wantErr := o.Eval(tensors(inputs)...)
	got, err := o.Applied(inputs...)
	if wantErr == nil {
		require.NoError(t, err)
		assert.Equal(t, want.Dtype(), got.Dtype())
		assert.Equal(t, want.Shape(), got.Shape())
		assert.Equal(t, Memory(want), Memory(got))
		return want, nil
	}
	require.Error(t, err, "Eval fails with: %v", wantErr)
	wanted, isIndex := gather.AsIndexError(wantErr)
	if !isIndex {
		// What only a run finds, such as segment ids out of order, has the names of
		// nodes in Apply's error.
		text := wantErr.Error()
		if _, atRun := err.(interface{ Err() error }); atRun {
			assert.ErrorContains(t, err, text[strings.LastIndex(text, ": ")+2:])
			return nil, wantErr
		}
		assert.Equal(t, text, err.Error())
		return nil, wantErr
	}
	found, ok := gather.AsIndexError(err)
	require.True(t, ok, "no IndexError in %v", err)
	found.Operands = nil // the names of nodes, of which Eval has none
	assert.Equal(t, wanted, found)
	return nil, wantErr
}

// tensors are the inputs as Eval takes them.
func tensors(inputs []*tensor.Dense) []tensor.Tensor {
	list := make([]tensor.Tensor, len(inputs))
	for i, in := range inputs {
		if in != nil {
			list[i] = in
		}
	}
	return list
}

// Applied runs the operation in a graph.
func (o Operation) Applied(inputs ...*tensor.Dense) (*tensor.Dense, error) {
	g := gorgonia.NewGraph()
	nodes := make([]*gorgonia.Node, len(inputs))
	for i, in := range inputs {
		if in != nil {
			nodes[i] = Input(g, fmt.Sprintf("input %d", i), in)
		}
	}
	return o.run(g, nodes)
}

func (o Operation) run(g *gorgonia.ExprGraph, nodes []*gorgonia.Node) (*tensor.Dense, error) {
	out, err := o.Apply(nodes...)
	if err != nil {
		return nil, err
	}
	machine := gorgonia.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		return nil, err
	}
	return opset.AsDense(out.Value())
}

// Input makes an input node with its value bound.
func Input(g *gorgonia.ExprGraph, name string, value *tensor.Dense) *gorgonia.Node {
	var n *gorgonia.Node
	if value.Dims() == 0 {
		n = gorgonia.NewScalar(g, value.Dtype(), gorgonia.WithName(name))
	} else {
		n = gorgonia.NewTensor(g, value.Dtype(), value.Dims(), gorgonia.WithShape(value.Shape()...), gorgonia.WithName(name))
	}
	if err := gorgonia.Let(n, value); err != nil {
		panic(err)
	}
	return n
}

// Constants gives the operation every choice of its inputs as a
// gorgonia.NewConstant, which must change nothing. Where all of the operands are
// constants, the first one is in the graph; inputs behind the operands are read
// when the graph is built.
func (o Operation) Constants(t *testing.T, operands int, inputs ...*tensor.Dense) {
	t.Helper()
	want, err := o.Eval(tensors(inputs)...)
	require.NoError(t, err)
	all := 1<<operands - 1
	for constants := 1; constants < 1<<len(inputs); constants++ {
		t.Run(fmt.Sprintf("%b", constants), func(t *testing.T) {
			g := gorgonia.NewGraph()
			nodes := make([]*gorgonia.Node, len(inputs))
			for i, in := range inputs {
				switch {
				case constants&all == all && i == 0:
					nodes[i] = gorgonia.NewConstant(in, gorgonia.In(g))
				case constants>>i&1 == 1:
					nodes[i] = gorgonia.NewConstant(in)
				default:
					nodes[i] = gorgonia.NodeFromAny(g, in, gorgonia.WithName(fmt.Sprint("input ", i)))
				}
			}
			got, err := o.run(g, nodes)
			require.NoError(t, err)
			assert.Equal(t, Memory(want), Memory(got))
		})
	}
}

// Table holds a table of versions to what finding one relies on: every operator
// has rows, in ascending order.
func Table[T any](t *testing.T, s *opset.Specification, operators map[string]T) {
	t.Helper()
	for op, rows := range s.Versions {
		for i := range rows[1:] {
			assert.Less(t, rows[i].Since, rows[i+1].Since, op)
		}
	}
	for op := range operators {
		assert.NotEmpty(t, s.Versions[op], op)
	}
}

// Fields are the fields of an error that a user sees.
func Fields(e *opset.VersionError) opset.VersionError {
	return opset.VersionError{
		Op: e.Op, Opset: e.Opset, Version: e.Version, What: e.What, Since: e.Since, Instead: e.Instead, Release: e.Release,
	}
}

// Second is an error without the result it came with.
func Second[T any](_ T, err error) error { return err }
