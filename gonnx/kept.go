package gathergonnx

import (
	"sync"

	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"gorgonia.org/gather/onnx"
)

// kept is what a getter has made for nodes, with the graphs that they were computed with:
// gonnx asks for an operator for each node of each run, and initialises it anew.
type kept struct {
	constants map[string]bool // values that are the same in every run

	mu    sync.Mutex
	bytes int64 // what a node may take
	nodes map[*pb.NodeProto]*onnx.Evaluator
}

// maxKept bounds the nodes of a getter that is used for one model after the other.
const maxKept = 1 << 16

func newKept() *kept {
	return &kept{bytes: defaultMaxBytes, nodes: map[*pb.NodeProto]*onnx.Evaluator{}}
}

func (k *kept) limit() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.bytes
}

// setMaxBytes bounds what a node may take. What is kept was made with another limit.
func (k *kept) setMaxBytes(n int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.bytes = n
	clear(k.nodes)
}

// constantInputs are the inputs of a node that are constants.
func (k *kept) constantInputs(n *pb.NodeProto) onnx.ConstantInputs {
	var places []int
	for i, name := range n.GetInput() {
		if k.constants[name] {
			places = append(places, i)
		}
	}
	return onnx.WithConstantInputs(places...)
}

// of is what there is for a node, made if there is nothing yet.
func (k *kept) of(n *pb.NodeProto, make func(limit onnx.MaxBytes) (*onnx.Evaluator, error)) (*onnx.Evaluator, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if known, ok := k.nodes[n]; ok {
		return known, nil
	}
	made, err := make(onnx.WithMaxBytes(k.bytes))
	if err != nil {
		return nil, err
	}
	if len(k.nodes) == maxKept {
		clear(k.nodes)
	}
	k.nodes[n] = made
	return made, nil
}
