package main

import (
	"github.com/pkg/errors"

	"gorgonia.org/gather/benchmarks/cmd/sweep/loops"
	"gorgonia.org/tensor"
)

// side is one of the two that are compared: a call, and the memory that it writes.
type side struct {
	run    func() error
	result *tensor.Dense
}

// newPlain is the loop that a user would write.
func newPlain(o *operands) (side, error) {
	switch o.Dtype {
	case "float32":
		return plainNumbers[float32](o)
	case "float64":
		return plainNumbers[float64](o)
	case "int64":
		return plainNumbers[int64](o)
	case "uint8":
		return plainNumbers[uint8](o)
	}
	if o.Index == "int32" {
		return plain(o, loops.Halves[int32]())
	}
	return plain(o, loops.Halves[int64]())
}

func plainNumbers[T loops.Number](o *operands) (side, error) {
	if o.Index == "int32" {
		return plain(o, loops.Numbers[T, int32]())
	}
	return plain(o, loops.Numbers[T, int64]())
}

func plain[T loops.Number | loops.Half, I loops.Index](o *operands, t loops.Table[T, I]) (side, error) {
	if o.form() >= segments {
		return plainSums(o, t), nil
	}
	indices := o.indices.slice.([]I)
	target, err := o.target()
	if err != nil {
		return side{}, err
	}
	data := target.base.Data().([]T)[target.offset:]
	n := o.nest(target.strides)
	switch {
	case !o.changes():
		loop := t.Loops[loops.Key{Move: loops.Gather, Form: o.loopForm(n), Tuple: len(n.Sizes) > 1, Checked: true}]
		out := newTensor(o.Dtype, o.result)
		items := out.Data().([]T)
		return side{func() error { return bad(loop(data, items, indices, n)) }, out}, nil
	case !o.inPlace():
		loop := t.Loops[loops.Key{Move: o.move(), Form: o.loopForm(n), Tuple: len(n.Sizes) > 1, Checked: true}]
		items, from := o.updates.Data().([]T), o.data.base.Data().([]T)[o.data.offset:]
		outer, run := o.whole()
		return side{func() error {
			loops.Pack(data, from, outer, run)
			return bad(loop(data, items, indices, n))
		}, target.base}, nil
	}
	loop := t.Loops[loops.Key{Move: o.move(), Form: o.loopForm(n), Tuple: len(n.Sizes) > 1}]
	items := o.updates.Data().([]T)
	return side{func() error {
		if at := loops.Check(indices, n.Sizes); at >= 0 {
			return bad(at)
		}
		return bad(loop(data, items, indices, n))
	}, target.base}, nil
}

// plainSums is the loop for segments and bags.
func plainSums[T loops.Number | loops.Half, I loops.Index](o *operands, t loops.Table[T, I]) side {
	indices, data := o.indices.slice.([]I), o.data.base.Data().([]T)
	result := newTensor(o.Dtype, o.result)
	out, columns, counts := result.Data().([]T), of(o.Data[1:]), make([]int, o.result[0])
	if o.form() == segments {
		n := &loops.Nest{N: len(indices), Sizes: []int{o.Count}, Strides: []int{columns}, Outer: pad3(nil), Inner: pad3([]loops.Loop{{N: columns, Data: 1}})}
		loop := t.Loops[loops.Key{Move: loops.Add, Form: o.loopForm(n), Checked: true}]
		if o.Op == "SegmentMax" {
			return side{func() error { return bad(t.SegmentMax(out, data, indices, n)) }, result}
		}
		return side{func() error {
			clear(out)
			if at := loop(out, data, indices, n); at >= 0 || o.Op == "SegmentSum" {
				return bad(at)
			}
			clear(counts)
			for _, x := range indices {
				counts[x]++
			}
			t.Means(out, counts, columns)
			return nil
		}, result}
	}
	pitch := o.data.strides[0]
	data = data[o.data.offset:][:(o.Data[0]-1)*pitch+columns]
	loop, k := t.Bags[o.move()][min(pitch-1, 1)], 0
	offsets, _ := o.offsets.slice.([]I) // none of bags that are all of one size
	if offsets == nil {
		k = o.Indices[1]
	}
	return side{func() error {
		if at := loop(out, data, indices, offsets, columns, pitch, k); at >= 0 || o.Reduction != "mean" {
			return bad(at)
		}
		for b := range counts {
			counts[b] = k
			if offsets != nil {
				counts[b] = len(indices) - int(offsets[b])
				if b+1 < len(offsets) {
					counts[b] = int(offsets[b+1] - offsets[b])
				}
			}
		}
		t.Means(out, counts, columns)
		return nil
	}, result}
}

func bad(at int) error {
	if at < 0 {
		return nil
	}
	return errors.Errorf("the plain loop finds index %d out of range", at)
}

// inPlace tells whether the call changes data that it is given.
func (c Call) inPlace() bool { return c.InPlace || c.changes() && c.Reduction == "" }

// target is what indices address: a scatter's own memory.
func (o *operands) target() (view, error) {
	if !o.changes() {
		return o.data, nil
	}
	layout := ""
	if o.inPlace() {
		layout = o.Layout
	}
	v, err := newView(o.Dtype, o.Data, layout)
	if err == nil && o.inPlace() {
		err = errors.WithStack(tensor.Copy(v.base, o.data.base))
	}
	return v, err
}

// move is how an update changes its target.
func (c Call) move() loops.Move {
	switch {
	case c.Reduction == "none":
		return loops.Set
	case c.Reduction == "max":
		return loops.Max
	}
	return loops.Add
}

// loopForm is the simplest loop for a nest.
func (c Call) loopForm(n *loops.Nest) loops.Form {
	width, setting := n.Width(), !c.changes() || c.Reduction == "none"
	switch {
	case c.form() == elements:
		return loops.Elements
	case width == 1:
		return loops.Single
	case n.Inner[2].Data != 1 || n.Inner[2].N != width:
		return loops.Strided
	case width >= loops.CopyFrom && setting && c.form() < segments:
		return loops.Copied
	}
	return loops.Run
}
