package gathergonnx

import (
	"bytes"
	"slices"
	"strings"

	"github.com/advancedclimatesystems/gonnx"
	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops"
	"github.com/advancedclimatesystems/gonnx/ops/opset13"
	"github.com/pkg/errors"
	"gorgonia.org/gather/gonnx/internal/node"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/tensor"
)

// LoadFile reads a model from a file, see [Load], and from the other files of its folder
// that it keeps tensors in, as [onnx.ReadModelFile] does.
func LoadFile(path string, layers ...Layer) (*Model, error) {
	read, err := onnx.ReadModelFile(path)
	if err != nil {
		return nil, errors.WithMessage(err, "gonnx: reading a model")
	}
	var b bytes.Buffer // one file
	if err := read.Write(&b, nil); err != nil {
		return nil, errors.WithMessage(err, "gonnx: reading a model")
	}
	m, err := Load(b.Bytes(), layers...)
	return m, errors.WithMessage(err, path)
}

// Load reads a model, the bytes of a .onnx file, of opset 1 to 28.
//
// An operator is looked up in [Operators] for the model's opset, then in the layers, the
// last one first, then among gonnx's own; [Builders] has what these lack. A model that
// needs others is an error that lists them.
//
// A file that is not a complete and consistent model is an error: one that is
// truncated, has names that are defined twice or not at all, nodes that are not in
// topological order (so also a cycle), or initializers whose data do not fit their dims.
// Load allocates memory in proportion to the size of b.
//
// Sources: onnx.proto and IR.md of ONNX 1.23 (IR version 14).
func Load(b []byte, layers ...Layer) (*Model, error) {
	m, err := load(b, layers)
	return m, errors.WithMessage(err, "gonnx")
}

func load(b []byte, layers []Layer) (*Model, error) {
	// Package onnx checks what a file can have wrong as a message; gonnx takes
	// anything that protobuf takes.
	checked, err := onnx.ReadModel(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	mp, err := gonnx.ModelProtoFromBytes(b)
	if err != nil {
		return nil, errors.Wrap(err, "no ONNX model")
	}
	if err := checkOpset(checked.Opset()); err != nil {
		return nil, errors.WithMessage(err, "ONNX's own operators")
	}
	m := &Model{opset: checked.Opset(), inputs: checked.Inputs(), kept: newKept()}
	if err := check(mp.GetGraph()); err != nil {
		return nil, err
	}
	if err := fourBits(mp.GetGraph(), m.opset); err != nil {
		return nil, err
	}
	known, err := m.takeConstants(mp.GetGraph())
	if err != nil {
		return nil, err
	}
	// gonnx finds its operators by the highest version of any domain, and has
	// those of 13 alone.
	mp.OpsetImport = []*pb.OperatorSetIdProto{{Version: 13}}
	if m.Model, err = gonnx.NewModel(mp); err != nil {
		return nil, err
	}
	k := m.kept
	k.constants = map[string]bool{}
	for n := range known {
		for _, name := range n.GetOutput() {
			k.constants[name] = true
		}
	}
	var base gonnx.OpGetter = opset13.GetOperator
	for i, layer := range layers {
		if layer == nil {
			return nil, errors.Errorf("layer %d is nil", i)
		}
		if base = layer(base, m.opset); base == nil {
			return nil, errors.Errorf("layer %d gives a nil getter", i)
		}
	}
	m.GetOperator = operators(withBuilders(base, m.opset, k), m.opset, known, k)
	if len(layers) == 0 {
		m.GetOperator = quick(m.GetOperator, m.opset, k)
	}
	return m, m.initialize(mp.GetGraph())
}

// takeConstants reads the values of all initializers and Constants. Initializers
// become Constants: gonnx would panic on some types and misread others. An input
// with an initializer is none anymore, since a Constant cannot be replaced.
func (m *Model) takeConstants(g *pb.GraphProto) (constants, error) {
	known := constants{}
	for _, n := range g.GetNode() {
		if n.GetOpType() != "Constant" || !node.IsONNX(n.GetDomain()) {
			continue
		}
		value, err := constantValue(n)
		if err != nil {
			return nil, errors.WithMessage(err, node.Label(n))
		}
		known[n] = value
		n.Attribute = nil // which is all that holds the bytes
	}
	m.parameters = map[string]tensor.Tensor{}
	nodes := make([]*pb.NodeProto, 0, len(g.GetInitializer())+len(g.GetNode()))
	for _, t := range g.GetInitializer() {
		value, err := readTensor(t)
		if err != nil {
			return nil, errors.WithMessage(err, "an initializer")
		}
		n := &pb.NodeProto{OpType: "Constant", Output: []string{t.GetName()}}
		known[n] = value
		nodes = append(nodes, n)
		m.parameters[t.GetName()] = value
	}
	g.Node, g.Initializer = append(nodes, g.GetNode()...), nil
	g.Input = slices.DeleteFunc(g.GetInput(), func(v *pb.ValueInfoProto) bool {
		_, given := m.parameters[v.GetName()]
		return given
	})
	return known, nil
}

// initialize gives every node to its operator once, as a run will, so that a model
// that cannot run is refused before it does.
func (m *Model) initialize(g *pb.GraphProto) error {
	var missing []string
	for _, n := range g.GetNode() {
		op, err := m.GetOperator(n.GetOpType())
		switch {
		case errors.Is(err, ops.ErrUnsupportedOperator):
			missing = append(missing, n.GetOpType())
		case err != nil:
			return err
		case len(missing) == 0:
			if err := op.Init(n); err != nil {
				return err
			}
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return errors.Wrapf(ops.ErrUnsupportedOperator, "the model needs what neither gonnx nor package onnx/builders nor a layer has: %s",
			strings.Join(slices.Compact(missing), ", "))
	}
	return nil
}
