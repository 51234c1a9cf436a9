//go:build cgo

package gathergonnx

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/advancedclimatesystems/gonnx"
	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/ortest"
	"gorgonia.org/gather/gonnx/internal/protos"
	"gorgonia.org/tensor"
)

// link adds one operator on the value of that name and shape.
func (d *drawing) link(from string, shape []int) (name string, out []int) {
	name = fmt.Sprintf("y%d", len(d.graph.Node))
	add := func(opType string, attributes protos.Attributes, inputs ...string) {
		d.used[opType] = true
		d.graph.Node = append(d.graph.Node, protos.Node(opType, append([]string{from}, inputs...), []string{name}, attributes))
	}
	axis := d.IntN(len(shape))
	attributes := protos.Attributes{"axis": []int{axis, axis - len(shape)}[d.IntN(2)]}
	if d.opset < 11 {
		attributes["axis"] = axis
	}
	reduction := []string{"none"}
	if d.opset >= 16 {
		reduction = []string{"none", "add", "mul"}
	}
	if d.opset >= 18 {
		reduction = []string{"none", "add", "mul", "min", "max"}
	}
	if d.dtype != tensor.Float32 && d.dtype != tensor.Float64 && d.dtype != tensor.Int32 && d.dtype != tensor.Int64 {
		reduction = reduction[:1]
	}
	smaller := append([]int{}, shape...)
	for i := range smaller {
		if i == axis {
			smaller[i] = d.IntN(8)
		} else if d.IntN(3) == 0 {
			smaller[i] = d.IntN(smaller[i] + 1)
		}
	}
	kinds := 1
	if d.opset >= 9 {
		kinds = 2
	}
	if d.opset >= 11 {
		kinds = 5
	}
	switch d.IntN(kinds) {
	case 1: // Scatter and ScatterElements
		opType := "ScatterElements"
		if d.opset < 11 {
			opType = "Scatter"
		}
		if d.opset >= 16 && d.IntN(3) > 0 {
			attributes["reduction"] = reduction[d.IntN(len(reduction))]
		}
		at := d.tensor(d.unique(attributes, axis, shape, smaller))
		add(opType, attributes, at, d.tensor(d.data(smaller)))
		return name, shape
	case 2:
		at := d.indices(smaller, false, func(int) int { return shape[axis] })
		add("GatherElements", attributes, d.tensor(at))
		return name, smaller
	case 3:
		batch := 0
		attributes = nil
		if d.opset >= 12 {
			batch = d.IntN(len(shape))
			attributes = protos.Attributes{"batch_dims": batch}
		}
		k := 1 + d.IntN(len(shape)-batch)
		tuples := append(append([]int{}, shape[:batch]...), d.shape(d.IntN(3))...)
		at := d.indices(append(tuples, k), true, func(i int) int { return shape[batch+i%k] })
		add("GatherND", attributes, d.tensor(at))
		return name, append(tuples, shape[batch+k:]...)
	case 4:
		k := 1 + d.IntN(len(shape))
		attributes = nil
		if d.opset >= 16 && d.IntN(3) > 0 {
			attributes = protos.Attributes{"reduction": reduction[d.IntN(len(reduction))]}
		}
		tuples := d.shape(d.IntN(3))
		if attributes["reduction"] == nil || attributes["reduction"] == "none" {
			tuples = []int{1} // more may name one target, and which wins is left open
		}
		at := d.indices(append(tuples, k), true, func(i int) int { return shape[i%k] })
		add("ScatterND", attributes, d.tensor(at), d.tensor(d.data(append(tuples[:len(tuples):len(tuples)], shape[k:]...))))
		return name, shape
	}
	q := d.shape(d.IntN(3))
	at := d.indices(q, false, func(int) int { return shape[axis] })
	add("Gather", attributes, d.tensor(at))
	return name, append(append(append([]int{}, shape[:axis]...), q...), shape[axis+1:]...)
}

// TestRandomModels compares chains of up to four operators with what ONNX Runtime
// makes of them, to the bit: the numbers are small integers.
func TestRandomModels(t *testing.T) {
	r := ortest.Open(t)
	compared := map[string]int{}
	for i := range 2000 {
		d := drawing{Rand: rand.New(rand.NewPCG(7, uint64(i))), graph: &pb.GraphProto{}, inputs: gonnx.Tensors{}, used: map[string]bool{}}
		d.opset = 7 + d.IntN(20) // those that ONNX Runtime 1.30 takes
		dtypes := dtypesBy(d.opset, d.IntN(2) == 0)
		d.dtype = dtypes[d.IntN(len(dtypes))]
		shape := d.shape(1 + d.IntN(4))
		y := d.tensor(d.data(shape))
		for range 1 + d.IntN(4) {
			if len(shape) == 0 {
				break // scalars have no axis
			}
			y, shape = d.link(y, shape)
		}
		d.graph.Output = []*pb.ValueInfoProto{protos.Value(y, d.dtype)}
		d.graph.Output[0].Type.GetTensorType().Shape = nil
		model := protos.Model(d.opset, d.graph)
		what := fmt.Sprintf("model %d, opset %d, %v: %v", i, d.opset, d.dtype, d.graph)

		given := map[string]*tensor.Dense{}
		for name, x := range d.inputs {
			given[name] = x.(*tensor.Dense)
		}
		want, theirs := r.Run(t, model, given, []tensor.Dtype{d.dtype})
		m, err := Load(protos.Bytes(model))
		require.NoError(t, err, what)
		out, err := m.Run(d.inputs)
		if theirs != nil && (strings.Contains(theirs.Error(), "NOT_IMPLEMENTED") || strings.Contains(theirs.Error(), "Could not find an implementation")) {
			compared["not in ONNX Runtime"]++
			continue
		}
		if theirs != nil {
			require.True(t, d.bad, "%s\nONNX Runtime: %v", what, theirs)
			require.ErrorContains(t, err, "out of range", what)
			compared["both refuse an index"]++
			continue
		}
		if d.bad && d.empty && err != nil {
			compared["only we look at an index of which nothing is copied"]++
			continue
		}
		require.NoError(t, err, what)
		got := out[y].(*tensor.Dense)
		if d.dtype == dense.Float16 || d.dtype == dense.BFloat16 {
			got = wide(got)
		}
		assertSame(t, want[0], got)
		for opType := range d.used {
			compared[opType]++
		}
	}
	t.Log(compared)
	for _, opType := range gathers {
		if opType != "TensorScatter" { // package onnx compares it with ONNX Runtime; it has two batches here
			require.Greater(t, compared[opType], 20, opType)
		}
	}
}

// wide is a tensor of 16-bit floats as float32.
func wide(d *tensor.Dense) *tensor.Dense {
	var values []float32
	if d.Dtype() == dense.Float16 {
		for _, x := range protos.Elements[float16.Float16](d) {
			values = append(values, x.Float32())
		}
	} else {
		for _, x := range protos.Elements[dense.BF16](d) {
			values = append(values, map[dense.BF16]float32{0: 0, 0x3f80: 1, 0x4000: 2}[x])
		}
	}
	return of(append([]float32{}, values...), d.Shape()...)
}
