package onnx

import (
	"fmt"
	"math"
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

// blocksName is the operator with its domain.
const blocksName = microsoft + ".GatherBlockQuantized"

// GatherBlockQuantized, of domain com.microsoft, gathers numbers of data stored in 2, 4 or 8
// bits, with a scale and a zero point for each block along quantize_axis:
//
//	out[o…, j…, p…] = (q - zero)·scale, q = data[o…, indices[j…], p…]
//
// where zero and scale are those of q's block. Data of type uint8 are packed along their last
// axis; those of type int4 and uint4 are initializers of a model: see packedInts.
// Source: ONNX Runtime's contrib operators, ContribOperators.md.
var gatherBlockQuantized = operator{
	opset.Operator{
		Apply: func(c *opset.Call, in []*gorgonia.Node) (*gorgonia.Node, error) {
			described, err := opset.Describe(c, in, opset.DescribeNode)
			if err != nil {
				return nil, err
			}
			return applyBlocks(c, in, described, nil)
		},
		Eval: func(c *opset.Call, in []tensor.Tensor) (*tensor.Dense, error) {
			described, err := opset.Describe(c, in, opset.DescribeTensor)
			if err != nil {
				return nil, err
			}
			g, err := newBlockGather(c, described, nil)
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
	op               string
	packed           *packedInts  // data of 4 bits, nil of type uint8
	bits, size       int          // of a number, and numbers of a block
	gather, quantize int          // axes
	dims             tensor.Shape // of data, in numbers
	blocks           int          // along quantize
	scales, zeros    tensor.Shape
	dtype            tensor.Dtype // of scales and the result
}

// newBlockGather checks the attributes, and how the shapes must fit.
func newBlockGather(c *opset.Call, in []opset.Description, packed *packedInts) (*blockGather, error) {
	data := in[0].Shape
	last := len(data) - 1
	axis := func(name string) int { // in range: opset.AnyAxis
		if n := int(c.Ints[name]); n >= 0 {
			return n
		}
		return int(c.Ints[name]) + last + 1
	}
	g := &blockGather{
		op: c.Name(), packed: packed, bits: int(c.Ints["bits"]), dims: data.Clone(), dtype: in[2].Dtype,
		gather: axis("gather_axis"), quantize: axis("quantize_axis"),
	}
	size := c.Ints["block_size"]
	switch {
	case packed != nil && c.Ints["bits"] != 4:
		return nil, fault.Errorf(dense.ErrOption, "%s: bits %d, data of type %s has 4", g.op, c.Ints["bits"], dataTypeName(packed.dataType))
	case c.Ints["bits"] != 2 && c.Ints["bits"] != 4 && c.Ints["bits"] != 8:
		return nil, fault.Errorf(dense.ErrOption, "%s: bits %d, allowed are 2, 4 and 8", g.op, c.Ints["bits"])
	case size < 16 || size&(size-1) != 0:
		return nil, fault.Errorf(dense.ErrOption, "%s: block_size %d, powers of 2 from 16 on are allowed", g.op, size)
	case packed == nil && g.gather != 0:
		return nil, fault.Errorf(dense.ErrAxis, "%s: gather_axis %d, data of type uint8 is gathered along axis 0", g.op, c.Ints["gather_axis"])
	case packed == nil && g.quantize != last:
		return nil, fault.Errorf(dense.ErrAxis, "%s: quantize_axis %d, data of type uint8 has its blocks along the last axis, %d", g.op, c.Ints["quantize_axis"], last)
	case g.dims[g.quantize] > maxBlocked:
		return nil, fault.Errorf(dense.ErrShape, "%s: data %s, at most %d are allowed along quantize_axis", g.op, fault.Shape(data), maxBlocked)
	}
	if packed == nil {
		g.dims[last] *= 8 / g.bits
	}
	g.size = int(min(size, maxBlocked*4))
	g.blocks = (g.dims[g.quantize] + g.size - 1) / g.size
	g.scales = g.dims.Clone()
	g.scales[g.quantize] = g.blocks
	g.zeros = g.scales.Clone()
	if packed == nil {
		g.zeros[last] = (g.blocks*g.bits + 7) / 8
	}
	for i, want := range []tensor.Shape{2: g.scales, 3: g.zeros} {
		if want != nil && i < len(in) && in[i].Given && !slices.Equal(in[i].Shape, want) {
			return nil, fault.Errorf(dense.ErrShape, "%s: %s %s, data %s of %d bits in blocks of %d takes %s",
				g.op, c.Parameters[i].Name, fault.Shape(in[i].Shape), fault.Shape(data), g.bits, size, fault.Shape(want))
		}
	}
	return g, nil
}

// maxBlocked bounds the dim of data along quantize_axis, so that no number of columns wraps.
const maxBlocked = 1 << 28

// shape is that of the result.
func (g *blockGather) shape(indices tensor.Shape) tensor.Shape {
	return slices.Concat(g.dims[:g.gather], indices, g.dims[g.gather+1:])
}

func (g *blockGather) run(in []tensor.Tensor) (*tensor.Dense, error) {
	b := quant.Blocks{
		Bits: g.bits, Columns: g.dims[g.quantize], Size: g.size, Inner: g.dims[g.quantize+1:].TotalSize(), Kind: elem.KindOf(g.dtype),
		Zero: 1 << (g.bits - 1), ZeroColumns: g.zeros[g.quantize],
	}
	switch {
	case g.packed == nil:
		b.ZeroColumns *= 8 / g.bits
	case g.packed.dataType == int4Data:
		b.Signed, b.Zero = true, 0
	default:
		b.Zero = 0
	}
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
	ids, indices, err := core.ReadIDs(nil, g.op, "indices", in[1], math.MaxInt64)
	if err != nil {
		return nil, err
	}
	shape := g.shape(indices)
	if err := core.Fits(g.op, "a result", shape, g.dtype); err != nil {
		return nil, err
	}
	rows, inner := g.dims[g.gather], g.dims[g.gather+1:].TotalSize()
	for i, id := range ids {
		if id < -int64(rows) || id >= int64(rows) {
			return nil, g.indexError(id, i, indices)
		}
		if id < 0 {
			ids[i] += int64(rows)
		}
	}
	out := tensor.NewDense(g.dtype, shape)
	run := inner * int(g.dtype.Size())
	if items := g.dims[:g.gather].TotalSize() * len(ids); run > 0 && items > 0 {
		to := out.Raw
		par.Each(items, par.Grains(items, run), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				row := int64(i/len(ids))*int64(rows) + ids[i%len(ids)]
				b.Run(to[i*run:][:run], row*int64(inner), inner)
			}
		})
	}
	return out, nil
}

func (g *blockGather) indexError(id int64, at int, indices tensor.Shape) error {
	e := &dense.IndexError{Op: "GatherBlockQuantized", Position: make([]int, len(indices)), Index: id, Axis: g.gather, Size: g.dims[g.gather]}
	for d := len(indices) - 1; d >= 0; d-- {
		e.Position[d] = at % indices[d]
		at /= indices[d]
	}
	return errors.WithStack(e)
}

// applyBlocks adds the operator to the graph. The inputs are described as the
// specification sees them: packed data have their numbers' shape, and their node is one
// of bytes.
func applyBlocks(c *opset.Call, in []*gorgonia.Node, described []opset.Description, packed *packedInts) (*gorgonia.Node, error) {
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
	g, err := newBlockGather(c, described, packed)
	if err != nil {
		return nil, err
	}
	var operands []graph.Operand
	for i, n := range nodes {
		operand := graph.OperandOf(n)
		operand.Argument = names[i]
		operands = append(operands, operand)
	}
	built := make([]tensor.Shape, len(nodes))
	for i, n := range nodes {
		built[i] = n.Shape().Clone()
	}
	// geometry is that of a run: the shapes of indices, and of others if data are not packed, may
	// be other ones then.
	geometry := func(shapes []tensor.Shape) (*blockGather, error) {
		now := slices.Clone(described[:len(nodes)])
		for i := range now {
			if packed == nil || i == 1 || i == 2 {
				now[i].Shape = shapes[i]
			} else if !slices.Equal(shapes[i], built[i]) {
				return nil, fault.Errorf(dense.ErrShape, "%s: %s of %s bytes, the graph was built for %s", c.Name(), names[i], fault.Shape(shapes[i]), fault.Shape(built[i]))
			}
		}
		return newBlockGather(c, now, packed)
	}
	kind := "UINT8"
	if packed != nil {
		kind = dataTypeName(packed.dataType)
	}
	return graph.Apply(&gatherBlocks{graph.New(graph.Description{
		Name: fmt.Sprintf("GatherBlockQuantized(%s, bits=%d, block_size=%d, gather_axis=%d, quantize_axis=%d, data=%v)",
			kind, g.bits, g.size, g.gather, g.quantize, g.dims),
		Operands: operands,
		Result:   graph.Operand{Rank: len(g.shape(described[1].Shape)), Dtype: g.dtype},
		Shape: func(in ...tensor.Shape) (tensor.Shape, error) {
			g, err := geometry(in)
			if err != nil {
				return nil, err
			}
			return g.shape(in[1]), nil
		},
		Run: func(_ *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
			shapes := make([]tensor.Shape, len(in))
			for i, t := range in {
				shapes[i] = t.Shape()
			}
			g, err := geometry(shapes)
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
