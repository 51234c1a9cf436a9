package core

import (
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

var treeArguments = plan.GatherTree.Arguments()

// GatherTree runs GatherTree. The result is dst, or a new tensor if dst is nil.
func GatherTree(p plan.Params, dst *tensor.Dense, in ...tensor.Tensor) (_ *tensor.Dense, err error) {
	defer Recover(p.Op.String(), &err)
	var v [4]view
	for i, name := range treeArguments {
		if err := v[i].read(p.Op.String(), name, in[i]); err != nil {
			return nil, err
		}
	}
	if _, err := p.Shape(v[0].shape, v[1].shape, v[2].shape, v[3].shape); err != nil {
		return nil, err
	}
	if err := CheckDtypes(&p, v[0].dtype, v[1].dtype, v[2].dtype, v[3].dtype); err != nil {
		return nil, err
	}
	return written(p.Op.String(), dst, v[0].shape, v[0].dtype, func(mem []byte) error {
		tree := kernel.Tree{Time: v[0].shape[0], Batch: v[0].shape[1], Beam: v[0].shape[2]}
		steps, parents, most, end := packedMemory(&v[0]), packedMemory(&v[1]), packedMemory(&v[2]), packedMemory(&v[3])
		position, parent := tree.Run(v[0].kind, mem, steps, parents, most, end)
		if position < 0 {
			return nil
		}
		at := Position(position, v[0].shape)
		return (&IndexError{Op: p.Op.String(), Argument: treeArguments[1], Position: at, Index: parent, Axis: 2, Size: tree.Beam, NonNegative: true}).stacked()
	}, &v[0], &v[1], &v[2], &v[3])
}
