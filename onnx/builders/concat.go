package builders

import (
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
)

// Concat puts its inputs behind each other along an axis; their other axes
// agree. axis must be given from opset 4 on, and is 1 unless given before.
func Concat(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Concat", n, inputs, func(c *call) (*G.Node, error) {
		if _, given := c.node.Attributes["axis"]; !given && c.version.since >= 4 {
			return nil, fault.Errorf(dense.ErrOption, "no axis")
		}
		axis, err := c.integer("axis", 1)
		if err != nil {
			return nil, err
		}
		if axis, err = c.axis(axis, c.rank()); err != nil {
			return nil, err
		}
		return join(axis, c.inputs)
	})
}

// maxJoined is how many tensors one operator joins. Gorgonia compares the types of
// operands in time by the square of their number: 20 000 took 3 seconds.
const maxJoined = 256

// join joins many tensors in groups, and then the groups.
func join(axis int, nodes []*G.Node) (*G.Node, error) {
	for len(nodes) > maxJoined {
		var groups []*G.Node
		for group := range slices.Chunk(nodes, maxJoined) {
			n, err := apply(joining{axis}, group...)
			if err != nil {
				return nil, err
			}
			groups = append(groups, n)
		}
		nodes = groups
	}
	return apply(joining{axis}, nodes...)
}
