package kernel

import (
	"bytes"

	"gorgonia.org/gather/internal/num"
)

// Without the old value a reduction of many single elements goes over the indices
// once: it fills all of a block and puts the old values back where there was no update.
// That takes memory for the old values elsewhere, which a call in place has if it keeps
// them in case of a bad index (see sched_undo.go). Otherwise reduce_start.go goes twice.
//
// What has no update is told in one of two ways. The block is filled with a value that
// counts as the neutral element, and still has it: this costs nothing, as memory is what
// takes time. Integers of 8 and 16 bits, any of which may be a result, have such a value
// in 32 bits: they are reduced in marks, and become what they are after that. Sums begin
// with 0, and count their updates above the bits that they have: there must not be more
// of them than there is room for.

// unsets are the values that stand for what has no update. For floats it is a signalling
// NaN, which no arithmetic makes. The least and the greatest float, and integers, may be
// that value: their loops stop there, and the block is reduced in the other way.
var unsets = [num.Kinds]uint64{
	num.Float16: 0x7d5a, num.BFloat16: 0x7f9a,
	num.Float32: unset32, num.Int32: unset32, num.Uint32: unset32,
	num.Float64: unset64, num.Int64: unset64, num.Uint64: unset64,
}

const (
	unset32 = 0x7fa5c3e1
	unset64 = 0x7ff5c3e1d2b49687
)

// unsetElements are the unsets as memory, as often as shortBytes has room for them.
var unsetElements = func() (all [num.Kinds][]byte) {
	for kind, unset := range unsets {
		if unset != 0 {
			w := num.Kind(kind).Width()
			all[kind] = bytes.Repeat(num.Bytes([]uint64{unset})[:w], shortBytes/w)
		}
	}
	return all
}()

// wideBytes is how wide marks are that integers are reduced in.
const wideBytes = 4

// markedLoop is an itemLoop that also works on the mark of every element, which is in
// the same place of its own memory. stride and step are in elements.
type markedLoop func(data, items, idx, marks *byte, n, size, lift, stride, step int) int

// markedLoops are the loops for int32 and for int64 indices.
type markedLoops *[2]markedLoop

// apart prepares for loops over data apart from its old values, if they are worth it:
// most of data must be worked on, as all of it is written twice.
func (c *Call) apart(kind num.Kind, r num.Reduction, blocks, columns int, few division) bool {
	loops := &active.combine[kind][r]
	if loops.wide == nil && loops.unset == nil || c.shortRuns(columns) || !c.dense() || !c.hasOld(blocks) {
		return false
	}
	if loops.wide != nil && c.N >= 1<<(31-8*c.width) {
		return false
	}
	if c.blends = true; loops.unset != nil {
		c.again, c.item = c.item, c.itemWork(loops.unset, c.width)
		c.begins, c.unset = num.As[uint64](unsetElements[kind])[0], unsets[kind]
		return true
	}
	c.item.marked, c.item.mark = pickMarked(c.Idx32, loops.wide), wideBytes
	if r != num.Add {
		c.begins, c.unset = num.As[uint64](unsetElements[num.Int32])[0], unset32
	}
	if few == byColumns && blocks < fewBlocks {
		c.touches, c.touched = marksOf(blocks * c.Span * wideBytes)
	}
	return true
}

// dense reports whether most of data is worked on, and some of it more than once.
func (c *Call) dense() bool { return c.N > 1 && 2*c.N*c.Inner >= c.Span }

// hasOld reports whether there are the old values of data, elsewhere, while the loop
// runs.
func (c *Call) hasOld(blocks int) bool {
	if c.Atomic {
		return c.keepsOld(blocks)
	}
	return c.Old != nil
}

func pickMarked(idx32 bool, loops markedLoops) markedLoop {
	if idx32 {
		return loops[0]
	}
	return loops[1]
}

// marksOf is memory for marks, of the pool and as much as needed of it.
func marksOf(n int) (memory *[]byte, marks []byte) {
	memory = touchedMemory.Get().(*[]byte)
	if cap(*memory) < n {
		*memory = make([]byte, n)
	}
	return memory, (*memory)[:n]
}

// reduceApart runs blocks, or columns of all of them.
func reduceApart(c *Call, lo, hi int) int {
	if c.columns {
		return c.apartRows(lo, hi, c.touched, span{0, c.Batch * c.Span / c.Inner}, span{lo, hi})
	}
	each, rows := max(1, copiedBefore/max(1, c.spanBytes())), c.Span/c.Inner
	var marks []byte
	if c.item.marked != nil {
		memory, all := marksOf(min(each, hi-lo) * c.Span * wideBytes)
		defer touchedMemory.Put(memory)
		marks = all
	}
	for ; lo < hi; lo += each {
		end := min(lo+each, hi)
		if bad := c.apartRows(lo, end, marks, span{lo * rows, end * rows}, span{0, c.Inner}); bad >= 0 {
			return bad
		}
	}
	return -1
}

// apartRows runs the positions lo to hi, which work on columns of some rows of data.
// There are marks, if any, from the first row on.
func (c *Call) apartRows(lo, hi int, marks []byte, rows, columns span) int {
	c.eachPart(marks, rows, columns, func(data, _, marks []byte) {
		if marks != nil {
			data = marks
		}
		for n := 0; len(data) > 0; data = data[n:] {
			n = min(len(data), rowBytesAtOnce)
			c.fillPiece(data[:n])
		}
	})
	bad := c.item.scatter(c, lo, hi, marks)
	switch {
	case bad < 0:
		c.eachPart(marks, rows, columns, c.putBack)
	case marks == nil && c.good(bad):
		c.eachPart(marks, rows, columns, func(data, old, _ []byte) { copyAny(data, old) })
		if bad = c.startItem.scatter(c, lo, hi, nil); bad < 0 {
			bad = c.again.scatter(c, lo, hi, nil)
		}
	}
	return bad
}

// eachPart calls do for the parts of some columns of rows that lie side by side, with
// the old values and the marks, if there are any, that belong there.
func (c *Call) eachPart(marks []byte, rows, columns span, do func(data, old, marks []byte)) {
	n, step := columns.len(), c.Inner
	if n == step { // all in one
		n *= rows.len()
		step = n
	}
	first, end := rows.lo*c.Inner, rows.hi*c.Inner
	for from := first + columns.lo; from < end; from += step {
		var marked []byte
		if marks != nil {
			marked = marks[(from-first)*wideBytes:][:n*wideBytes]
		}
		do(c.Data[from*c.width:][:n*c.width], c.old[from*c.width:][:n*c.width], marked)
	}
}

// good reports whether the index at a position is good.
func (c *Call) good(position int) bool {
	axis := c.axis(0, 1)
	v := int64(0)
	if c.Idx32 {
		v = int64(num.As[int32](c.Idx)[position])
	} else {
		v = num.As[int64](c.Idx)[position]
	}
	_, ok := axis.fix(v)
	return ok
}

// putBack puts the old values back where there was no update.
func (c *Call) putBack(to, old, marks []byte) {
	for n := 0; len(to) > 0; to, old = to[n:], old[n:] {
		n = min(len(to), rowBytesAtOnce/wideBytes)
		if marks == nil {
			c.replacePiece(to[:n], old[:n])
			continue
		}
		c.narrowPiece(to[:n], old[:n], marks)
		marks = marks[n/c.width*wideBytes:]
	}
}

//go:noinline
func (c *Call) fillPiece(data []byte) { active.fill(pointer(data), len(data), c.begins) }

//go:noinline
func (c *Call) narrowPiece(to, old, marks []byte) {
	active.narrow[log2(c.width)](pointer(to), pointer(old), pointer(marks), len(to)/c.width, c.unset)
}

//go:noinline
func (c *Call) replacePiece(to, old []byte) {
	active.replace[log2(c.width)](pointer(to), pointer(old), len(to)/c.width, c.unset)
}
