package openvino

import (
	"math"
	"reflect"

	"github.com/pkg/errors"
	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// The names of inputs whose values must be known when an operator is applied.
const (
	numSegments  = "num_segments"
	defaultIndex = "default_index"
)

// The parameters of bags, which the texts number in different orders.
var (
	embTable   = opset.Parameter{Name: "emb_table", Rank: 1}
	bagIndices = opset.Parameter{Name: "indices", Role: opset.Indices}
	emptyBag   = opset.Parameter{Name: defaultIndex, Role: opset.Indices, Optional: true}
	perSample  = opset.Parameter{Name: "per_sample_weights", Role: opset.Alike, Optional: true}
	segmentIDs = opset.Parameter{Name: "segment_ids", Role: opset.Indices, Rank: 1}
)

// bagsOf is an operator of bags whose plain form is the one given.
func bagsOf(name plan.Op, parameters ...opset.Parameter) operator {
	return operator{
		parameters: parameters,
		Operator: opset.Operator{
			Apply: func(c *opset.Call, in []*gorgonia.Node) (*gorgonia.Node, error) {
				b := pick(c, in)
				switch name {
				case plan.EmbeddingBagOffsets:
					return gather.EmbeddingBagOffsets(b.table, b.indices, b.borders, b.weights, bagOptions(c)...)
				case plan.EmbeddingBagPacked:
					return gather.EmbeddingBagPacked(b.table, b.indices, b.weights, bagOptions(c)...)
				case plan.EmbeddingSegments:
					return gather.EmbeddingSegments(b.table, b.indices, b.borders, b.weights, int(c.Ints[numSegments]), bagOptions(c)...)
				}
				return gather.SegmentMax(b.table, b.borders, int(c.Ints[numSegments]), bagOptions(c)...)
			},
			Eval: func(c *opset.Call, in []tensor.Tensor) (*tensor.Dense, error) {
				b := pick(c, in)
				switch name {
				case plan.EmbeddingBagOffsets:
					return dense.EmbeddingBagOffsets(b.table, b.indices, b.borders, b.weights, bagOptions(c)...)
				case plan.EmbeddingBagPacked:
					return dense.EmbeddingBagPacked(b.table, b.indices, b.weights, bagOptions(c)...)
				case plan.EmbeddingSegments:
					return dense.EmbeddingSegments(b.table, b.indices, b.borders, b.weights, int(c.Ints[numSegments]), bagOptions(c)...)
				}
				return dense.SegmentMax(b.table, b.borders, int(c.Ints[numSegments]), bagOptions(c)...)
			},
		},
		shape: func(c *opset.Call, s []tensor.Shape) (tensor.Shape, error) {
			p, err := plan.ForGraph(name, 0, bagOptions(c)...)
			if err != nil {
				return nil, err
			}
			p.NumSegments = int(c.Ints[numSegments])
			b := pick(c, s)
			list := []tensor.Shape{b.table}
			if name != plan.SegmentMax {
				list = append(list, b.indices)
			}
			if name != plan.EmbeddingBagPacked {
				list = append(list, b.borders)
			}
			if b.weighted {
				list = append(list, b.weights)
			}
			return p.Shape(list...)
		},
	}
}

// bagInputs are the inputs of bags by what they are.
type bagInputs[T any] struct {
	table, indices, borders, weights T
	weighted                         bool
}

// pick finds them. Those that are left out are the zero value.
func pick[T any](c *opset.Call, in []T) (b bagInputs[T]) {
	for i, p := range c.Parameters[:min(len(in), len(c.Parameters))] {
		switch p.Name {
		case "emb_table", "data":
			b.table = in[i]
		case "indices":
			b.indices = in[i]
		case "offsets", "segment_ids":
			b.borders = in[i]
		case "per_sample_weights":
			b.weights, b.weighted = in[i], !reflect.ValueOf(&in[i]).Elem().IsZero()
		}
	}
	return b
}

// bagOptions are the call's settings.
func bagOptions(c *opset.Call) []dense.Option {
	if c.Op == "SegmentMax" {
		s := plan.Settings{OutOfRange: plan.Skip, SkipBehind: true} // the page leaves out ids from num_segments on
		if c.Words["fill_mode"] == "LOWEST" {
			s.FillMode = plan.FillLowest
		}
		return []dense.Option{plan.Of(plan.OutOfRangePolicy|plan.FillModeGiven, s)}
	}
	options := c.Options()
	if i, ok := c.Ints[defaultIndex]; ok {
		options = append(options, dense.WithDefaultIndex(int(i)))
	}
	return options
}

// readKnown takes the inputs that must be known from the list, and checks that
// indices are all of one dtype, where the text wants that.
func readKnown[T any](c *call, inputs []T, described []opset.Description, value func(T) valued) error {
	var index tensor.Dtype
	for i, p := range c.Parameters {
		if i >= len(described) || !described[i].Given {
			continue
		}
		d := described[i]
		if p.Role == opset.Indices && bagRoles[c.Op] {
			if index.Type == nil {
				index = d.Dtype
			}
			if index != d.Dtype && d.Dtype.Type != nil && index.Type != nil {
				return fault.Errorf(dense.ErrDtype, "%s: %s of type %s, indices are of type %s",
					c.Name(), p.Name, specification.NameOf(d.Dtype), specification.NameOf(index))
			}
		}
		if p.Name != numSegments && p.Name != defaultIndex {
			continue
		}
		v := value(inputs[i])
		if v == nil {
			return fault.Errorf(dense.ErrOption, "%s: the value of %s is not known yet: set it before Apply", c.Name(), p.Name)
		}
		if !c.Version.Index.Has(v.Dtype()) {
			continue // Check says what is wrong
		}
		n, err := c.oneInteger(p.Name, v)
		if err != nil {
			return err
		}
		c.Ints[p.Name] = int64(n)
	}
	return nil
}

// bagRoles are the operators whose indices have one type.
var bagRoles = map[string]bool{
	"EmbeddingBagOffsetsSum": true, "EmbeddingBagOffsets": true, "EmbeddingSegmentsSum": true,
}

// countSegments sets the number of segments: by the input, by the layer, or by the
// segment ids, of which the greatest is the last.
func (c *call) countSegments(ids valued) error {
	if c.Op != "SegmentMax" && c.Op != "EmbeddingSegmentsSum" {
		return nil
	}
	known := c.layer.NumSegments
	n, given := c.Ints[numSegments]
	switch {
	case given && known != nil && int64(*known) != n:
		return fault.Errorf(dense.ErrOption, "%s: the input num_segments is %d, Layer.NumSegments is %d", c.Name(), n, *known)
	case given:
	case known != nil:
		c.Ints[numSegments] = int64(*known)
	case ids == nil:
		return fault.Errorf(dense.ErrOption, "%s: the number of segments is not known: it is needed as num_segments, as Layer.NumSegments, or from segment_ids whose value is set", c.Name())
	default:
		n, err := c.segmentsOf(ids)
		if err != nil {
			return err
		}
		c.Ints[numSegments] = n
	}
	return nil
}

// segmentsOf is the greatest of segment ids, and 1 more.
func (c *call) segmentsOf(ids valued) (int64, error) {
	d, ok := ids.(*tensor.Dense)
	if !ok || d == nil || d.Dims() != 1 || !c.Version.Index.Has(d.Dtype()) {
		return 0, nil // Check says what is wrong
	}
	all := make([]int64, d.Shape()[0])
	for i := range all {
		all[i] = int64(i)
	}
	if len(all) == 0 {
		return 0, nil
	}
	packed, err := dense.Gather(d, tensor.New(tensor.WithShape(len(all)), tensor.WithBacking(all)), 0)
	if err != nil {
		return 0, errors.WithMessagef(err, "%s: segment_ids", c.Name())
	}
	greatest := -1
	for i := range all {
		greatest = max(greatest, clamped(reflect.ValueOf(packed.Get(i))))
	}
	if greatest == math.MaxInt {
		return 0, fault.Errorf(dense.ErrShape, "%s: segment id %d makes too many segments", c.Name(), greatest)
	}
	return int64(greatest) + 1, nil
}
