package bag

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// shortLoops are the loops over bags of rows of a few numbers, or nil if there are none.
func (j *job) shortLoops() *simd.ShortBagLoops {
	if j.Inner > simd.ShortColumns || j.Weights != nil || len(j.Stored.Bytes) > 0 || j.SkipBad && j.Idx != nil {
		return nil
	}
	return simd.ShortLoops[j.Kind][j.op()]
}

// longBags is from how many positions on a bag is long to loops over short rows. Floats, whose extreme takes longer without
// a branch, have fewBags in one column, and learntBags if there are no more than learntNumbers: of so few a processor learns
// the branches when they come again.
const longBags, fewBags, learntBags, learntNumbers = 64, 16, 4, 32 << 10

// fewShortRows is up to how many short rows a table has few: a long bag has its extreme again and again.
const fewShortRows = 32

// reduceShort reduces some bags, and returns the first position with a bad index, or -1.
func (j *job) reduceShort(buf *buffer, bags interval) int {
	loops, least, floats := &j.short.Bags, longBags, !j.Kind.IsInteger()
	if floats && j.n*j.Inner <= learntNumbers && (j.Inner == 1 || j.Rows > fewShortRows) {
		least = learntBags
	} else if floats && j.Inner == 1 {
		least = fewBags
	}
	switch long := j.n/least > j.Bags; {
	case j.Pitch > 0:
		loops = &j.short.Apart
	case long && j.Rows > fewShortRows:
		loops = &j.short.Long
	case long:
		loops = &j.short.Again
	}
	width, empty := num.IndexBytes(j.Idx32), j.Empty
	if empty == nil {
		empty = zeros
	}
	for now, in := range j.chunks(bags, len(buf.ends)) {
		ends, out := buf.ends[:now.hi-now.lo], j.out[now.lo*j.row:now.hi*j.row]
		j.ends(ends, now.lo, in)
		data, idx, loop := j.Table, []byte(nil), loops[0]
		if j.Idx == nil {
			data = data[in.lo*j.row:]
		} else {
			idx, loop = j.Idx[in.lo*width:], loops[width/4]
		}
		buf.short = simd.ShortBags{
			Data: num.Pointer(data), Idx: num.Pointer(idx), Columns: j.Inner, Stride: int(j.axis.Stride), Ends: ends,
			Size: j.axis.Size, NegativeOffset: j.axis.NegativeOffset, Empty: num.Pointer(empty), Bias: j.bias, Magnitude: &j.magnitude,
		}
		bad := loop(&buf.short, &out[0])
		if buf.short = (simd.ShortBags{}); bad >= 0 { // the pool keeps nobody's memory
			return in.lo + bad
		}
		if j.divides() || j.Default >= 0 {
			j.finish(buf, ends, out, 0, interval{0, j.row}, j.divides())
		}
	}
	return -1
}
