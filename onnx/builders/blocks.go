package builders

import (
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// DepthToSpace makes blocks of blocksize by blocksize places of channels: (n, c, h, w) →
// (n, c/b², h b, w b). In mode DCR, the only one before opset 11, the place within a
// block comes in front of the channel that is left, in mode CRD behind it.
func DepthToSpace(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("DepthToSpace", n, inputs, func(c *call) (*G.Node, error) {
		b, crd, err := c.blocks()
		if err != nil {
			return nil, err
		}
		x := c.shape(0)
		batch, depth, h, w := x[0], x[1]/(b*b), x[2], x[3]
		if x[1]%(b*b) != 0 {
			return nil, fault.Errorf(dense.ErrShape, "%d channels make no blocks of %d by %d", x[1], b, b)
		}
		// The axes of the result, h and w in two each, as they are in the input.
		from, perm := tensor.Shape{batch, b, b, depth, h, w}, []int{0, 3, 4, 1, 5, 2}
		if crd {
			from, perm = tensor.Shape{batch, depth, b, b, h, w}, []int{0, 1, 4, 2, 5, 3}
		}
		return c.rearranged(from, perm, tensor.Shape{batch, depth, h * b, w * b})
	})
}

// SpaceToDepth makes channels of blocks of blocksize by blocksize places: (n, c, h, w) →
// (n, c b², h/b, w/b). It is the inverse of [DepthToSpace] in the same mode, DCR before
// opset 28.
func SpaceToDepth(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("SpaceToDepth", n, inputs, func(c *call) (*G.Node, error) {
		b, crd, err := c.blocks()
		if err != nil {
			return nil, err
		}
		x := c.shape(0)
		batch, depth, h, w := x[0], x[1], x[2]/b, x[3]/b
		if x[2]%b != 0 || x[3]%b != 0 {
			return nil, fault.Errorf(dense.ErrShape, "%d by %d places make no blocks of %d by %d", x[2], x[3], b, b)
		}
		perm := []int{0, 3, 5, 1, 2, 4}
		if crd {
			perm = []int{0, 1, 3, 5, 2, 4}
		}
		return c.rearranged(tensor.Shape{batch, depth, h, b, w, b}, perm, tensor.Shape{batch, depth * b * b, h, w})
	})
}

// maxBlock is the largest size whose square is an int everywhere.
const maxBlock = 1 << 15

// blocks are the size of the blocks, and whether the mode is CRD.
func (c *call) blocks() (size int, crd bool, err error) {
	if c.rank() != 4 {
		return 0, false, fault.Errorf(dense.ErrShape, "an input of shape %v, a rank of 4 is allowed", c.shape(0))
	}
	if size, err = c.integer("blocksize", 0); err != nil {
		return 0, false, err
	}
	if size < 1 || size > maxBlock {
		return 0, false, fault.Errorf(dense.ErrOption, "blocksize is %d, 1 to %d are allowed", size, maxBlock)
	}
	mode, err := c.text("mode", "DCR", "DCR", "CRD")
	return size, mode == "CRD", err
}

// rearranged is the first input with its elements, seen as those of a shape, in another
// order of the axes.
func (c *call) rearranged(from tensor.Shape, perm []int, to tensor.Shape) (*G.Node, error) {
	p := permuted(from, perm)
	p.whole = c.shape(0).Clone()
	y, err := apply(copying{p}, c.inputs[0])
	if err != nil {
		return nil, err
	}
	return reshape(y, to)
}
