//go:build cgo

package gathergonnx

import (
	"fmt"
	"math/rand/v2"
	"slices"
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

// A drawing is a random model under way: a chain of gathers and scatters, each on
// what the one before gives.
type drawing struct {
	*rand.Rand
	opset  int
	dtype  tensor.Dtype
	graph  *pb.GraphProto
	inputs gonnx.Tensors
	used   map[string]bool
	bad    bool // an index is out of range
	empty  bool // a tensor has no elements
}

// dtypesBy are the dtypes of data that ONNX Runtime has kernels for. Strings are not
// among them: its Gather copies the first string of a slice only.
func dtypesBy(opset int, reduces bool) []tensor.Dtype {
	dtypes := []tensor.Dtype{tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64}
	if reduces {
		return dtypes
	}
	dtypes = append(dtypes, tensor.Bool, tensor.Int8, tensor.Int16, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64, dense.Float16)
	if opset >= 13 {
		dtypes = append(dtypes, dense.BFloat16)
	}
	return dtypes
}

// tensor adds a value to the model, as an input or as an initializer.
func (d *drawing) tensor(x *tensor.Dense) string {
	name := fmt.Sprintf("x%d", len(d.graph.Input)+len(d.graph.Initializer))
	d.empty = d.empty || slices.Contains(x.Shape(), 0)
	if d.IntN(2) == 0 {
		d.graph.Initializer = append(d.graph.Initializer, protos.Tensor(name, x))
		return name
	}
	open := make([]int, x.Dims())
	for i, n := range x.Shape() {
		open[i] = n
		if d.IntN(2) == 0 || n == 0 {
			open[i] = -1
		}
	}
	d.graph.Input = append(d.graph.Input, protos.Value(name, x.Dtype(), open...))
	d.inputs[name] = x
	return name
}

// data draws small integers in the model's dtype.
func (d *drawing) data(shape []int) *tensor.Dense {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return numbered(d.dtype, n, func() int { return d.IntN(9) }, shape)
}

func numbered(dt tensor.Dtype, n int, draw func() int, shape []int) *tensor.Dense {
	switch dt {
	case tensor.Float64:
		return filled(n, shape, func() float64 { return float64(draw()) })
	case tensor.Int32:
		return filled(n, shape, func() int32 { return int32(draw()) })
	case tensor.Int64:
		return filled(n, shape, func() int64 { return int64(draw()) })
	case tensor.Bool:
		return filled(n, shape, func() bool { return draw()%2 == 0 })
	case tensor.Int8:
		return filled(n, shape, func() int8 { return int8(draw()) })
	case tensor.Int16:
		return filled(n, shape, func() int16 { return int16(draw()) })
	case tensor.Uint8:
		return filled(n, shape, func() uint8 { return uint8(draw()) })
	case tensor.Uint16:
		return filled(n, shape, func() uint16 { return uint16(draw()) })
	case tensor.Uint32:
		return filled(n, shape, func() uint32 { return uint32(draw()) })
	case tensor.Uint64:
		return filled(n, shape, func() uint64 { return uint64(draw()) })
	case dense.Float16:
		return filled(n, shape, func() float16.Float16 { return float16.Fromfloat32(float32(draw())) })
	case dense.BFloat16: // of 0, 1 and 2, which are easily written down
		return filled(n, shape, func() dense.BF16 { return []dense.BF16{0, 0x3f80, 0x4000}[draw()%3] })
	}
	return filled(n, shape, func() float32 { return float32(draw()) })
}

func filled[T any](n int, shape []int, draw func() T) *tensor.Dense {
	values := make([]T, n)
	for i := range values {
		values[i] = draw()
	}
	return of(values, shape...)
}

// shape draws dims that mostly differ.
func (d *drawing) shape(rank int) []int {
	shape := make([]int, rank)
	for i := range shape {
		shape[i] = 1 + d.IntN(6)
		if d.IntN(40) == 0 {
			shape[i] = 0
		}
	}
	return shape
}

// index draws one of an axis, from either end, and rarely one that is out of range.
func (d *drawing) index(size int) int64 {
	if size == 0 || d.IntN(400) == 0 {
		d.bad = true
		return int64([]int{size, -size - 1, 1 << 30}[d.IntN(3)])
	}
	return int64(d.IntN(2*size) - size)
}

// indices draws a tensor of them; size says which axis the i-th counts on.
func (d *drawing) indices(shape []int, wide bool, size func(i int) int) *tensor.Dense {
	n := 1
	for _, s := range shape {
		n *= s
	}
	all := make([]int64, n)
	for i := range all {
		all[i] = d.index(size(i))
	}
	if wide || d.IntN(2) == 0 {
		return of(all, shape...)
	}
	narrow := make([]int32, n)
	for i, x := range all {
		narrow[i] = int32(x)
	}
	return of(narrow, shape...)
}

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

// unique draws indices of a scatter: without a reduction none names a target twice,
// since which of the updates wins is left open. They are then those of one position
// along the axis.
func (d *drawing) unique(attributes protos.Attributes, axis int, shape, smaller []int) *tensor.Dense {
	if r := attributes["reduction"]; r == nil || r == "none" {
		smaller[axis] = min(smaller[axis], 1)
	}
	return d.indices(smaller, false, func(int) int { return shape[axis] })
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
	for opType := range family {
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
