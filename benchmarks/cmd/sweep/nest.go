package main

import "gorgonia.org/gather/benchmarks/cmd/sweep/loops"

// nest is the call as loops over a target with strides.
func (c Call) nest(strides []int) *loops.Nest {
	n := new(loops.Nest)
	n.Sizes = c.sizes()
	if c.form() == elements {
		all := c.loops(0, len(c.Data), strides)
		n.Strides = []int{strides[c.Axis]}
		all = merge(all)
		last := len(all) - 1
		n.Outer, n.N, n.Step = pad3(all[:last]), all[last].N, all[last].Data
		return n
	}
	first := c.Axis + c.BatchDims
	n.Outer = pad3(merge(c.loops(0, first, strides)))
	n.Strides = strides[first : first+len(n.Sizes)]
	n.Inner = pad3(merge(c.loops(first+len(n.Sizes), len(c.Data), strides)))
	n.N = of(c.Indices)
	if c.form() == tuples {
		n.N = of(c.Indices[c.BatchDims:]) / len(n.Sizes)
	}
	return n
}

// loops are those over some axes, from the outermost on.
func (c Call) loops(from, to int, strides []int) (all []loops.Loop) {
	for axis := from; axis < to; axis++ {
		l := loops.Loop{N: c.Data[axis], Data: strides[axis]}
		switch {
		case c.form() == elements:
			if l.N, l.Index = c.Indices[axis], packed(c.Indices)[axis]; axis == c.Axis {
				l.Data = 0
			}
		case axis < c.BatchDims:
			l.Index = packed(c.Indices)[axis]
		}
		all = append(all, l)
	}
	return all
}

// merge makes one loop of neighbours that follow one another in memory. It leaves at
// least one.
func merge(all []loops.Loop) []loops.Loop {
	var merged []loops.Loop
	for _, l := range all {
		last := len(merged) - 1
		switch {
		case l.N == 1:
		case last >= 0 && merged[last].Data == l.N*l.Data && merged[last].Index == l.N*l.Index:
			merged[last] = loops.Loop{N: l.N * merged[last].N, Data: l.Data, Index: l.Index}
		default:
			merged = append(merged, l)
		}
	}
	if merged == nil {
		return []loops.Loop{{N: 1, Data: 1}}
	}
	return merged
}

// pad3 puts loops of one turn before others.
func pad3(all []loops.Loop) (three [3]loops.Loop) {
	for i := range three {
		three[i] = loops.Loop{N: 1, Data: 1}
	}
	copy(three[3-len(all):], all)
	return three
}

// whole is data as a nest of loops, without indices.
func (o *operands) whole() (outer [3]loops.Loop, run loops.Loop) {
	var all []loops.Loop
	for axis, size := range o.Data {
		all = append(all, loops.Loop{N: size, Data: o.data.strides[axis]})
	}
	all = merge(all)
	last := len(all) - 1
	return pad3(all[:last]), all[last]
}
