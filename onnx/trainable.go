package onnx

import (
	"google.golang.org/protobuf/encoding/protowire"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Trainable are the nodes of the initializers to train, in the model's order, for
// gorgonia.Grad and a solver; [Model.Write] writes their new values.
//
// PyTorch's exporter marks the initializers that were parameters, and these are returned.
// If a file has no marks, those of at least one axis are. In both cases they are float or
// double, and have a gradient.
//
// Without marks, masks, tables of positions and initial states may be among them:
// choose by name, with [Graph.Constant]. A tensor that an exporter has computed from
// parameters, such as a transposed copy named val_0, is not among them: export for
// training with optimize=False, which keeps every parameter under its name.
func (b *Graph) Trainable() gorgonia.Nodes {
	if b == nil {
		return nil
	}
	reached := map[*gorgonia.Node]bool{}
	for _, p := range b.Outputs {
		reach(p.Node, reached)
	}
	var nodes gorgonia.Nodes
	for _, p := range b.Constants {
		chosen := len(p.Shape) > 0
		if b.noted != nil {
			chosen = b.noted[p.Name]
		}
		if chosen && b.weights[p.Name] == p.Node && reached[p.Node] {
			nodes = append(nodes, p.Node)
		}
	}
	return nodes
}

// reach notes the floats that a node depends on smoothly, itself included.
func reach(n *gorgonia.Node, reached map[*gorgonia.Node]bool) {
	d, err := opset.DescribeNode(n)
	if err != nil || reached[n] || d.Dtype != tensor.Float32 && d.Dtype != tensor.Float64 {
		return
	}
	reached[n] = true
	op, ok := n.Op().(gorgonia.SDOp)
	if !ok {
		return
	}
	children := n.Graph().From(n.ID())
	smooth := op.DiffWRT(children.Len())
	for i := 0; children.Next(); i++ {
		if child, ok := children.Node().(*gorgonia.Node); ok && i < len(smooth) && smooth[i] {
			reach(child, reached)
		}
	}
}

// The fields in which notes stand: those of GraphProto and of ValueInfoProto.
const (
	graphValueInfo protowire.Number = 13
	valueName      protowire.Number = 1
	valueMetadata  protowire.Number = 4
)

// What PyTorch's exporter notes.
const (
	inputKind     = "pkg.torch.export.graph_signature.InputSpec.kind"
	parameterKind = "PARAMETER"
)

// notedParameters are the initializers that the file calls parameters, nil if it says
// of none what it is.
func (m *Model) notedParameters() (map[string]bool, error) {
	var noted map[string]bool
	err := eachField("GraphProto", m.graph, func(f field) error {
		if f.number != graphValueInfo {
			return nil
		}
		name, kind, err := parseKind(f.bytes)
		if err != nil || kind == nil {
			return err
		}
		if s := m.values.lookup(string(name)); s == nil || s.giver != anInitializer && s.giver != aDefault {
			return nil
		}
		if noted == nil {
			noted = map[string]bool{}
		}
		noted[string(name)] = string(kind) == parameterKind
		return nil
	})
	return noted, err
}

// parseKind reads the name of a ValueInfoProto and what its metadata say it is, nil
// if they say nothing.
func parseKind(b []byte) (name, kind []byte, err error) {
	err = eachField("ValueInfoProto", b, func(f field) error {
		switch f.number {
		case valueName:
			name = f.bytes
		case valueMetadata:
			key, value, err := parseEntry(f.bytes)
			if err != nil {
				return err
			}
			if string(key) == inputKind {
				kind = value
			}
		}
		return nil
	})
	return name, kind, err
}
