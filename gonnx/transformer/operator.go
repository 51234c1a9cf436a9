package transformer

import (
	"fmt"
	"slices"

	"github.com/advancedclimatesystems/gonnx"
	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops"
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/node"
	"gorgonia.org/tensor"
)

// A version is what an operator is from one opset on, until the next version.
type version struct {
	since      int
	inputs     []parameter
	least      int            // how many of the inputs there have to be
	outputs    int            // how many there are at most
	attributes map[string]any // with their defaults: an int64, a float32 or an []int64; nil is read over
	apply      func(c call, in []*tensor.Dense) ([]*tensor.Dense, error)
}

// A parameter is one input of a version.
type parameter struct {
	name string
	of   []tensor.Dtype // what is allowed
	same bool           // it has the dtype of input 0, which is then all that is allowed
}

// versions are the operators of this package, each with its versions in order.
var versions = map[string][]version{
	"Clip":               clips,
	"Erf":                erfs,
	"Expand":             expands,
	"Identity":           identities,
	"LayerNormalization": layerNormalizations,
	"MatMul":             matMuls,
	"ReduceSum":          reduceSums,
	"Where":              wheres,
}

// Operators gives the operators of this package with the meaning they have in the
// opset, and all others as base has them. base may be nil, which has none.
//
// An operator that the opset does not have yet, and one that neither has, is an
// error of the getter.
func Operators(base gonnx.OpGetter, opset int) gonnx.OpGetter {
	return func(opType string) (ops.Operator, error) {
		rows, ok := versions[opType]
		switch {
		case !ok && base == nil:
			return nil, errors.Wrapf(ops.ErrUnsupportedOperator, "operator %q is not in package transformer, and there are no others: base is nil", opType)
		case !ok:
			return base(opType)
		case opset < rows[0].since:
			return nil, errors.Wrapf(ops.ErrUnsupportedOpsetVersion, "%s: there is none in opset %d, it came with %d", opType, opset, rows[0].since)
		}
		row := rows[0]
		for _, v := range rows[1:] {
			if v.since <= opset {
				row = v
			}
		}
		return &operator{opType: opType, version: row}, nil
	}
}

// An operator is one version of an operator as gonnx calls it.
type operator struct {
	opType string
	version
	call
}

// A call is what Init learns of a node.
type call struct {
	given   map[string]any // the version's attributes, with defaults
	set     map[string]bool
	outputs int
}

// String is the operator's name with its version.
func (op *operator) String() string { return fmt.Sprintf("%s-%d", op.opType, op.since) }

// Init reads the node's attributes.
func (op *operator) Init(n *pb.NodeProto) error {
	return errors.WithMessage(op.init(n), op.String())
}

func (op *operator) init(n *pb.NodeProto) error {
	if !node.IsONNX(n.GetDomain()) {
		return errors.Errorf("the operator is ONNX's own, the node's is of domain %q", n.GetDomain())
	}
	if k := len(n.GetOutput()); k < 1 || k > op.version.outputs {
		return errors.Wrapf(dense.ErrShape, "%d outputs, it has %s", k, node.Span(1, op.version.outputs))
	}
	given, err := node.Attributes(n)
	if err != nil {
		return err
	}
	op.call = call{given: map[string]any{}, set: map[string]bool{}, outputs: len(n.GetOutput())}
	for name, value := range given {
		fallback, ok := op.attributes[name]
		if !ok {
			return errors.Wrapf(dense.ErrOption, "attribute %q is not among its attributes %v", name, names(op.attributes))
		}
		if fallback != nil && fmt.Sprintf("%T", fallback) != fmt.Sprintf("%T", value) {
			return errors.Wrapf(dense.ErrOption, "attribute %q is a %T, a %T is allowed", name, value, fallback)
		}
		op.given[name], op.set[name] = value, true
	}
	for name, fallback := range op.attributes {
		if !op.set[name] {
			op.given[name] = fallback
		}
	}
	return nil
}

// ValidateInputs checks number and dtypes, and leaves out no input: those that a
// node does not have are nil.
func (op *operator) ValidateInputs(in []tensor.Tensor) ([]tensor.Tensor, error) {
	if len(in) < op.least || len(in) > len(op.inputs) {
		return nil, errors.Wrapf(dense.ErrShape, "%v: %d inputs, it takes %s", op, len(in), node.Span(op.least, len(op.inputs)))
	}
	all := make([]tensor.Tensor, len(op.inputs))
	copy(all, in)
	for i, p := range op.inputs {
		if !present(all[i]) {
			if i < op.least {
				return nil, errors.Wrapf(dense.ErrShape, "%v: no %s, its input %d", op, p.name, i)
			}
			all[i] = nil
			continue
		}
		dt := all[i].Dtype()
		if p.same && dt != all[0].Dtype() {
			return nil, errors.Wrapf(dense.ErrDtype, "%v: %s is of dtype %v, %s of %v: they must agree", op, p.name, dt, op.inputs[0].name, all[0].Dtype())
		}
		if !p.same && !slices.Contains(p.of, dt) {
			return nil, errors.Wrapf(dense.ErrDtype, "%v: %s is of dtype %v, %v are allowed", op, p.name, dt, p.of)
		}
	}
	return all, nil
}

// Apply computes the operator.
func (op *operator) Apply(in []tensor.Tensor) ([]tensor.Tensor, error) {
	in, err := op.ValidateInputs(in)
	if err != nil {
		return nil, err
	}
	packed := make([]*tensor.Dense, len(in))
	for i, t := range in {
		if t == nil {
			continue
		}
		if packed[i], err = pack(t); err != nil {
			return nil, errors.WithMessagef(err, "%v: %s", op, op.inputs[i].name)
		}
	}
	results, err := op.apply(op.call, packed)
	if err != nil {
		return nil, errors.WithMessage(err, op.String())
	}
	out := make([]tensor.Tensor, len(results))
	for i, d := range results {
		out[i] = d
	}
	return out, nil
}

// GetMinInputs is the least number of inputs.
func (op *operator) GetMinInputs() int { return op.least }

// GetMaxInputs is the largest number of inputs.
func (op *operator) GetMaxInputs() int { return len(op.inputs) }

// GetInputTypeConstraints lists the dtypes that each input may have.
func (op *operator) GetInputTypeConstraints() [][]tensor.Dtype {
	constraints := make([][]tensor.Dtype, len(op.inputs))
	for i, p := range op.inputs {
		constraints[i] = p.of
		if p.same {
			constraints[i] = op.inputs[0].of
		}
	}
	return constraints
}

// present tells an input from one that is left out. A nil *tensor.Dense in an
// interface is not nil, and its methods would panic.
func present(t tensor.Tensor) bool {
	d, ok := t.(*tensor.Dense)
	return t != nil && !(ok && d == nil)
}

func names(attributes map[string]any) []string {
	list := make([]string, 0, len(attributes))
	for name := range attributes {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

func (c call) int(name string) int64 { return c.given[name].(int64) }

func (c call) ints(name string) []int64 { return c.given[name].([]int64) }

func (c call) float(name string) float32 { return c.given[name].(float32) }
