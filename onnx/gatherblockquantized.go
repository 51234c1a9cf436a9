package onnx

import (
	"fmt"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/quant"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// GatherBlockQuantized, of domain com.microsoft, gathers rows of data stored in 2, 4 or 8
// bits, with a scale and a zero point for each block of columns:
//
//	out[j…, p…, c] = (q[indices[j…], p…, c] - zero[…, c/block_size]) · scale[…, c/block_size]
//
// Source: ONNX Runtime's contrib operators, ContribOperators.md.
var gatherBlockQuantized = operator{
	opset.Operator{
		Apply: applyBlocks,
		Eval: func(c *opset.Call, in []tensor.Tensor) (*tensor.Dense, error) {
			shapes := make([]tensor.Shape, len(in))
			for i, t := range in {
				if t != nil {
					shapes[i] = t.Shape()
				}
			}
			g, err := newBlockGather(c, shapes, in[2].Dtype())
			if err != nil {
				return nil, err
			}
			return g.run(in)
		},
	},
	[]opset.Parameter{
		{Name: "data", Rank: 2}, {Name: "indices", Role: opset.Indices},
		{Name: "scales", Role: opset.Own, Rank: 2, Dtypes: scaleTypes}, {Name: "zero_points", Role: opset.Alike, Rank: 2, Optional: true},
	},
}

// blockGather is the geometry of one GatherBlockQuantized.
type blockGather struct {
	op            string
	bits, size    int          // of a number, and columns of a block
	dims          tensor.Shape // of data, in numbers
	blocks        int          // of a row
	scales, zeros tensor.Shape
	dtype         tensor.Dtype // of scales and the result
}

// newBlockGather checks the attributes, and how the shapes must fit.
func newBlockGather(c *opset.Call, in []tensor.Shape, dt tensor.Dtype) (*blockGather, error) {
	g := &blockGather{op: c.Name(), bits: int(c.Ints["bits"]), dims: in[0].Clone(), dtype: dt}
	last := len(g.dims) - 1
	axis := func(name string) int64 {
		if n := c.Ints[name]; n >= 0 {
			return n
		}
		return c.Ints[name] + int64(last+1)
	}
	size := c.Ints["block_size"]
	switch {
	case c.Ints["bits"] != 2 && c.Ints["bits"] != 4 && c.Ints["bits"] != 8:
		return nil, fault.Errorf(dense.ErrOption, "%s: bits %d, allowed are 2, 4 and 8", g.op, c.Ints["bits"])
	case size < 16 || size&(size-1) != 0:
		return nil, fault.Errorf(dense.ErrOption, "%s: block_size %d, powers of 2 from 16 on are allowed", g.op, size)
	case axis("gather_axis") != 0:
		return nil, fault.Errorf(dense.ErrAxis, "%s: gather_axis %d, data of type uint8 is gathered along axis 0", g.op, c.Ints["gather_axis"])
	case axis("quantize_axis") != int64(last):
		return nil, fault.Errorf(dense.ErrAxis, "%s: quantize_axis %d, data of type uint8 has its blocks along the last axis, %d", g.op, c.Ints["quantize_axis"], last)
	case g.dims[last] > maxColumns:
		return nil, fault.Errorf(dense.ErrShape, "%s: data %s, at most %d bytes of a row are allowed", g.op, fault.Shape(in[0]), maxColumns)
	}
	g.dims[last] *= 8 / g.bits
	g.size = int(min(size, maxColumns*4))
	g.blocks = (g.dims[last] + g.size - 1) / g.size
	g.scales, g.zeros = g.dims.Clone(), g.dims.Clone()
	g.scales[last], g.zeros[last] = g.blocks, (g.blocks*g.bits+7)/8
	if !slices.Equal(in[2], g.scales) {
		return nil, fault.Errorf(dense.ErrShape, "%s: scales %s, data %s of %d bits in blocks of %d takes %s", g.op, fault.Shape(in[2]), fault.Shape(in[0]), g.bits, size, fault.Shape(g.scales))
	}
	if len(in) > 3 && in[3] != nil && !slices.Equal(in[3], g.zeros) {
		return nil, fault.Errorf(dense.ErrShape, "%s: zero_points %s, data %s of %d bits in blocks of %d takes %s", g.op, fault.Shape(in[3]), fault.Shape(in[0]), g.bits, size, fault.Shape(g.zeros))
	}
	return g, nil
}

// maxColumns bounds the bytes of a row, so that no product of them wraps.
const maxColumns = 1 << 28

// shape is that of the result.
func (g *blockGather) shape(indices tensor.Shape) tensor.Shape {
	return append(indices.Clone(), g.dims[1:]...)
}

func (g *blockGather) run(in []tensor.Tensor) (*tensor.Dense, error) {
	b := quant.Blocks{Bits: g.bits, Columns: g.dims[len(g.dims)-1], Size: g.size, Kind: elem.KindOf(g.dtype)}
	for _, input := range []struct {
		at   int
		name string
		dt   tensor.Dtype
		to   *[]byte
	}{{0, "data", tensor.Uint8, &b.Data}, {2, "scales", g.dtype, &b.Scales}, {3, "zero_points", tensor.Uint8, &b.Zeros}} {
		if input.at >= len(in) || in[input.at] == nil {
			continue
		}
		var copied []byte
		var err error
		if *input.to, _, err = core.Packed(&copied, g.op, input.name, in[input.at], input.dt); err != nil {
			return nil, err
		}
	}
	ids, indices, err := core.ReadIntegers(nil, g.op, "indices", in[1])
	if err != nil {
		return nil, err
	}
	shape := g.shape(indices)
	if err := core.Fits(g.op, "a result", shape, g.dtype); err != nil {
		return nil, err
	}
	rows, inner := g.dims[0], 1
	for _, n := range g.dims[1 : len(g.dims)-1] {
		inner *= n
	}
	for i, id := range ids {
		if id < -int64(rows) || id >= int64(rows) {
			return nil, g.indexError(id, i, indices)
		}
		if id < 0 {
			ids[i] += int64(rows)
		}
	}
	out := tensor.NewDense(g.dtype, shape)
	row := b.Columns * int(g.dtype.Size())
	if row*inner > 0 {
		to := out.Raw
		par.Each(len(ids)*inner, par.Grain(row), func(lo, hi int) {
			for r := lo; r < hi; r++ {
				b.Row(to[r*row:][:row], int(ids[r/inner])*inner+r%inner)
			}
		})
	}
	return out, nil
}

func (g *blockGather) indexError(id int64, at int, indices tensor.Shape) error {
	e := &dense.IndexError{Op: "GatherBlockQuantized", Position: make([]int, len(indices)), Index: id, Size: g.dims[0]}
	for d := len(indices) - 1; d >= 0; d-- {
		e.Position[d] = at % indices[d]
		at /= indices[d]
	}
	return errors.WithStack(e)
}

func applyBlocks(c *opset.Call, in []*gorgonia.Node) (*gorgonia.Node, error) {
	names, nodes := []string{"data", "indices", "scales"}, in[:3]
	if len(in) > 3 && in[3] != nil {
		names, nodes = append(names, "zero_points"), in[:4]
	}
	if err := graph.Named(c.Name(), "indices", in[1]); err != nil {
		return nil, err
	}
	if err := graph.Nodes(c.Name(), names, nodes...); err != nil {
		return nil, err
	}
	var shapes []tensor.Shape
	var operands []graph.Operand
	for i, n := range nodes {
		operand := graph.OperandOf(n)
		operand.Argument = names[i]
		shapes, operands = append(shapes, n.Shape()), append(operands, operand)
	}
	g, err := newBlockGather(c, shapes, in[2].Dtype())
	if err != nil {
		return nil, err
	}
	return graph.Apply(&gatherBlocks{graph.New(graph.Description{
		Name:     fmt.Sprintf("GatherBlockQuantized(bits=%d, block_size=%d, data=%v)", g.bits, g.size, g.dims),
		Operands: operands,
		Result:   graph.Operand{Rank: len(g.shape(shapes[1])), Dtype: g.dtype},
		Shape: func(in ...tensor.Shape) (tensor.Shape, error) {
			if _, err := newBlockGather(c, in, g.dtype); err != nil {
				return nil, err
			}
			return g.shape(in[1]), nil
		},
		Run: func(_ *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
			shapes := make([]tensor.Shape, len(in))
			for i, t := range in {
				shapes[i] = t.Shape()
			}
			g, err := newBlockGather(c, shapes, g.dtype)
			if err != nil {
				return nil, err
			}
			return g.run(in)
		},
	})}, nodes...)
}

// gatherBlocks is the operator of a graph.
type gatherBlocks struct{ graph.Operator }

// DiffWRT says that nothing has a gradient: the numbers are integers.
func (op *gatherBlocks) DiffWRT(inputs int) []bool { return make([]bool, inputs) }

// SymDiff is an error.
func (op *gatherBlocks) SymDiff(gorgonia.Nodes, *gorgonia.Node, *gorgonia.Node) (gorgonia.Nodes, error) {
	return nil, errors.New("GatherBlockQuantized: data, integers of few bits, have no gradient, nor have indices, scales and zero_points; train a table of floats and quantize it")
}

var (
	_          gorgonia.SDOp = (*gatherBlocks)(nil)
	scaleTypes               = opset.Dtypes{tensor.Float32, dense.Float16, dense.BFloat16}
)
