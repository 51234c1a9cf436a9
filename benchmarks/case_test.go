package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

func TestCaseNamesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range cases() {
		assert.False(t, seen[c.Name], "%s: twice, the report would join them", c.Name)
		seen[c.Name] = true
		assert.Contains(t, groups, c.Group)
	}
}

// The shapes of the cases are those of the operators.
func TestCaseShapes(t *testing.T) {
	for _, c := range cases() {
		t.Run(c.Name, func(t *testing.T) {
			var want tensor.Shape
			var err error
			switch c.Op {
			case "Gather", tableRows:
				want, err = shapes.Gather(c.Data, c.Indices, c.Axis, c.BatchDims)
			case "GatherElements":
				want, err = shapes.GatherElements(c.Data, c.Indices, c.Axis)
			case "GatherND":
				want, err = shapes.GatherND(c.Data, c.Indices, c.BatchDims)
			case "ScatterElements":
				want, err = shapes.ScatterElements(c.Data, c.Indices, c.updatesShape(), c.Axis)
			case "ScatterND":
				want, err = shapes.ScatterND(c.Data, c.Indices, c.updatesShape())
			case "ScatterUpdate":
				want, err = shapes.ScatterUpdate(c.Data, c.Indices, c.updatesShape(), c.Axis)
			case embeddingBag, tableBags:
				want, err = shapes.EmbeddingBagPacked(c.Data, c.Indices)
			case "GatherTree":
				want, err = shapes.GatherTree(c.Data, c.Indices, tensor.Shape{c.Data[1]}, tensor.Shape{})
			case "SegmentSum", "SegmentMean", "SegmentMin", "SegmentMax", "SegmentProd":
				want, err = shapes.SegmentSum(c.Data, c.Indices, segmentCount)
			case segmentSoftmax:
				want, err = shapes.SegmentSoftmax(c.Data, c.Indices, segmentCount)
			default:
				t.Fatalf("%s is no operator", c.Op)
			}
			require.NoError(t, err)
			if c.Mode == Gradient {
				assert.Equal(t, []int(want), c.updatesShape())
				want = c.Data
			}
			if c.Mode == Step {
				want = c.Data // of the gradient
			}
			assert.Equal(t, []int(want), c.outShape())
		})
	}
}

// small cases have the kinds of the real ones.
var small = []Case{
	{Name: "Gather", Op: "Gather", Data: []int{7, 5}, Indices: []int{3, 4}},
	{Name: "Gather, scalars", Op: "Gather", Data: []int{7}, Indices: []int{11}},
	{Name: "Gather, last axis", Op: "Gather", Data: []int{5, 7}, Indices: []int{3}, Axis: 1},
	{Name: "Gather, middle axis", Op: "Gather", Data: []int{5, 7, 4}, Indices: []int{3}, Axis: 1},
	{Name: "GatherElements", Op: "GatherElements", Data: []int{5, 7}, Indices: []int{5, 3}, Axis: 1},
	{Name: "GatherND", Op: "GatherND", Data: []int{5, 7, 4}, Indices: []int{6, 3}},
	{Name: "GatherND, slices", Op: "GatherND", Data: []int{5, 7, 4}, Indices: []int{6, 2}},
	{Name: "GatherND, batch_dims", Op: "GatherND", Data: []int{3, 4, 7, 5}, Indices: []int{3, 4, 6, 1}, BatchDims: 2},
}

func smallCases(mode Mode) []Case {
	var all []Case
	for _, c := range small {
		c.Group, c.Mode, c.Sets = Gathers, mode, 3
		all = append(all, c)
	}
	return all
}

// What the runtimes get instead of a gradient has to be the same sum.
func TestScatterForm(t *testing.T) {
	for _, c := range smallCases(Gradient) {
		t.Run(c.Name, func(t *testing.T) {
			p, err := newProblem(c)
			require.NoError(t, err)
			form := p.scatterForm()
			for set, x := range form.values {
				indices := tensor.New(tensor.WithShape(form.Indices...), tensor.WithBacking(x))
				updates := p.updates
				var got *tensor.Dense
				var err error
				if form.Op == "ScatterElements" {
					got, err = dense.ScatterElements(p.data, indices, updates, form.Axis, dense.WithReduction(dense.Add))
				} else {
					got, err = dense.ScatterND(p.data, indices, updates, dense.WithReduction(dense.Add))
				}
				require.NoError(t, err)
				r, err := newOurs(Ours, p)
				require.NoError(t, err)
				ours := r.(*inProcess)
				require.NoError(t, ours.run(set))
				assert.True(t, agree(ours.result(), valuesOf(p.kind(), got)))
			}
		})
	}
}
