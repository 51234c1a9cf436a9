package gathergonnx

import (
	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops"
	"github.com/pkg/errors"
	"gorgonia.org/gather/gonnx/internal/node"
	"gorgonia.org/tensor"
)

// A guarded operator names its node in errors, and makes errors of panics: gonnx
// and package tensor panic on shapes and values that they do not expect.
type guarded struct {
	ops.Operator
	opType string
	node   *pb.NodeProto // nil before Init
}

func guard(op ops.Operator, opType string) ops.Operator {
	return &guarded{Operator: op, opType: opType}
}

// Init hands the node to the operator.
func (g *guarded) Init(n *pb.NodeProto) (err error) {
	g.node = n
	defer g.explain("reading its attributes", &err)
	return g.Operator.Init(n)
}

// ValidateInputs has the operator check its inputs.
func (g *guarded) ValidateInputs(in []tensor.Tensor) (out []tensor.Tensor, err error) {
	defer g.explain("checking its inputs", &err)
	return g.Operator.ValidateInputs(in)
}

// Apply runs the operator. An operator that has more outputs than the node asks
// for, as LSTM has three, hands over the first ones; gonnx would refuse it.
func (g *guarded) Apply(in []tensor.Tensor) (out []tensor.Tensor, err error) {
	defer g.explain("computing it", &err)
	if out, err = g.Operator.Apply(in); err != nil {
		return nil, err
	}
	names := g.node.GetOutput()
	if len(out) < len(names) {
		return nil, errors.Errorf("the operator gives %d outputs, the node names %d: %q", len(out), len(names), names)
	}
	out = out[:len(names)]
	for i, t := range out {
		if t == nil && names[i] != "" {
			return nil, errors.Errorf("the operator gives no output %q", names[i])
		}
	}
	return out, nil
}

// explain completes the error that a call returns, or makes one of its panic. The
// label is made here: to make one for each node of each run took a twentieth of the
// time of a small model.
func (g *guarded) explain(doing string, err *error) {
	r := recover()
	if r == nil && *err == nil {
		return
	}
	label := g.opType
	if g.node != nil {
		label = node.Label(g.node)
	}
	if r != nil {
		*err = errors.Errorf("gonnx: %s: %s panicked: %v", label, doing, r)
		return
	}
	*err = errors.WithMessagef(*err, "gonnx: %s", label)
}
