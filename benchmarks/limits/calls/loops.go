package main

// #cgo CFLAGS: -O3 -march=native
// #include "loops.h"
import "C"

import "unsafe"

// A loop is one of loops.c.
type loop struct {
	name string
	f    C.loop
}

var (
	gatherLoops = []loop{
		{"plain", C.loop(C.gather_plain)},
		{"four a branch", C.loop(C.gather_four)},
		{"prefetch", C.loop(C.gather_ahead)},
		{"unchecked", C.loop(C.gather_unchecked)},
	}
	addLoops = []loop{
		{"plain", C.loop(C.add_plain)},
		{"offsets first", C.loop(C.add_offsets)},
		{"two rows in step", C.loop(C.add_two)},
		{"four rows in step", C.loop(C.add_four)},
		{"plain, all or nothing", C.loop(C.add_or_nothing)},
		{"prefetch", C.loop(C.add_ahead)},
		{"unchecked", C.loop(C.add_unchecked)},
	}
	columnLoops = []loop{
		{"plain", C.loop(C.columns_plain)},
		{"two rows in step", C.loop(C.columns_two)},
		{"unchecked", C.loop(C.columns_unchecked)},
	}
	tupleLoops = []loop{
		{"plain", C.loop(C.tuples_plain)},
		{"offsets first", C.loop(C.tuples_offsets)},
		{"prefetch", C.loop(C.tuples_ahead)},
		{"unchecked", C.loop(C.tuples_unchecked)},
	}
)

// A call is what a loop works on, see loops.h.
type call struct {
	in, out []float32
	index   []int64
	rows    int // or tuples
	n       int
	line    int
	dims    [3]int
}

// share does part i of n of the rows, or of the targets of tuples, and tells
// whether all indices were in range.
func (c *call) share(f loop, i, n int) bool {
	w := C.work{n: C.int64_t(c.n), line: C.int64_t(c.line), last: C.int64_t(c.rows), high: C.int64_t(len(c.out))}
	for d, size := range c.dims {
		w.dims[d] = C.int64_t(size)
	}
	if c.dims[0] > 0 {
		w.low, w.high = C.int64_t(len(c.out)*i/n), C.int64_t(len(c.out)*(i+1)/n)
	} else {
		w.first, w.last = C.int64_t(c.rows*i/n), C.int64_t(c.rows*(i+1)/n)
	}
	in, out := (*C.float)(unsafe.SliceData(c.in)), (*C.float)(unsafe.SliceData(c.out))
	return C.call(f.f, w, in, out, (*C.int64_t)(unsafe.SliceData(c.index))) != 0
}
