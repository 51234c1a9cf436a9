package main

import (
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A family is functions that do the same for several types.
type family struct {
	arguments string
	twin      string // what it is in Go: it stands above the first function
}

// Arguments that several families have.
const (
	gather  = "(data, items *byte, offsets *int64, n, bytes, step, distance int)"
	scatter = "(data, items *byte, offsets, places *int64, n, bytes, step, distance int)"
)

// All families, by the files that emit them.
var (
	copiedItems     = &family{"(data, items, idx *byte, n, size, negativeOffset, stride, step int) int", "and those like it are moveLine, to items, of one loop whose items and indices are contiguous."}
	combinedOffsets = &family{scatter, "and those like it are combineOffsetsGo or combineEachRow. They also read 32 more offsets, which need to be there."}
	workedLines     = &family{"(data, items, idx, l *byte, width int) int", "and those like it are LineLoops, for indices of width bytes: combineLine, and prefetches."}

	copiedRows   = &family{gather, "is copyRowsGo, of at least 64 bytes; the others are for 16 to 32 and for 32 to 64."}
	storedRows   = &family{scatter, "is setRowsGo, of at least 64 bytes."}
	dividedRows  = &family{gather, "and the other are the Rows of meanLoopsGo."}
	scaledRows   = &family{"(data, items *byte, offsets, places *int64, scales *byte, n, bytes, step, distance int)", "and the other are the AddScaledRows of bagLoops."}
	combinedRows = &family{scatter, "and those like it are combineRowsGo or combineEachRow."}

	dottedRows  = &family{"(data, items *byte, offsets, places *int64, out *byte, n, bytes, step, distance int)", "and the other are the DotRows of bagLoops."}
	squaredRows = &family{"(rows **byte, sums *float64, n, bytes int)", "and the other are sumSquaresGo."}
	updatedRows = &family{"(data, first, second *byte, grads **byte, offsets, states *int64, c *byte, n, bytes, distance int)", `and those like it are UpdateLoops: see sgdRowsGo, adagradRowsGo, rowWiseAdagradRowsGo and
adamRowsGo. The plain ones leave out scale and l2.`}
	reducedBags = &family{"(data, out *byte, offsets, ends *int64, weights *byte, bags, bytes, step, distance, carry int)", "and those like it are the BagLoops of bagLoops."}
	packedBags  = &family{"(data, out *byte, offsets, ends *int64, weights *byte, bags, bytes, step, tail, distance, carry int)", "and those like it are PackedBagLoops, with columns here called bytes."}
	decodedRows = &family{"(to, data *byte, offsets *int64, n, bytes, step, tail, distance int)", "and those like it are DecodeLoops of columns, a multiple of 8, here called bytes."}
	quotients   = &family{"(to, counts *byte, n, more int)", "and the other are the Quotients of meanLoopsGo."}
	clamped     = &family{"(to *int32, from *int64, n int, last, fromEnd int64)", `clamps n indices, a multiple of 8, of an axis with less than 1<<31 elements: one below 0
becomes max(from[i]+fromEnd, 0), any other min(from[i], last).`}
	exponentials = &family{"(out, x *float32, most, sum *float64, powers *uint64, rows, columns, step int)", `writes e, which is exp32(float64(x[r*step+c]) - most[c]) of package bag, to out[r*step+c], and adds it to sum[c].
The columns are a multiple of 4.`}
	prefetched = &family{"(p *byte, offset, bytes int)", `tells the processor that so many bytes will be read, from an offset behind p.
It does nothing else: there need be no memory.`}
)

// function begins a function of a family, which is the loop of some fields of an Implementation.
func (k *family) function(name string, fields ...string) {
	TEXT(name, NOSPLIT, "func"+k.arguments)
	Pragma("noescape")
	if k.twin != "" {
		Doc(strings.Split(name+" "+k.twin, "\n")...)
		k.twin = ""
	}
	for _, field := range fields {
		wire(field, name)
	}
	clear(loaded)
}

// loaded are the arguments of the function that have a register.
var loaded = map[string]Register{}

// load loads an argument into a new register.
func load(name string) Register {
	loaded[name] = Load(Param(name), GP64())
	return loaded[name]
}

// arg is an argument in its register or, without one, in memory.
func arg(name string) Op {
	if r, ok := loaded[name]; ok {
		return r
	}
	basic, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return basic.Addr
}

// repeat emits a loop that runs once at least: again jumps to its body if there is more.
func repeat(body string, do func(), again func(to LabelRef)) {
	Label(body)
	do()
	again(LabelRef(body))
}

// loop emits a loop that begins with its check.
func loop(body, check string, do func(), again func(to LabelRef)) {
	JMP(LabelRef(check))
	repeat(body, func() {
		do()
		Label(check)
	}, again)
}

// check is one that compares a with b.
func check(compare func(a, b Op), a, b Op, jump func(Op)) func(to LabelRef) {
	return func(to LabelRef) {
		compare(a, b)
		jump(to)
	}
}

// below is the check that a is less than b.
func below(a, b Op) func(to LabelRef) { return check(CMPQ, a, b, JLT) }

// eachRow emits a loop over t from 0 to n, and the end of the function.
func eachRow(t, n Op, row func()) {
	XORQ(t, t)
	loop("next", "check", func() {
		row()
		INCQ(t)
	}, below(t, n))
	end()
}

// countdown emits a loop that runs n times, and the end of the function.
func countdown(body, check string, n Op, do func()) {
	loop(body, check, do, func(to LabelRef) {
		DECQ(n)
		JGE(to)
	})
	end()
}

// end returns from a function that has used vectors.
func end() {
	VZEROUPPER()
	RET()
}

// behind is some bytes behind base.
func behind(base Op, bytes int) Mem { return Mem{Base: base.(Register), Disp: bytes} }

// at is index bytes behind base.
func at(base, index Op) Mem { return element(base, index, 1) }

// element is element i of words of a size.
func element(base, i Op, size int) Mem {
	return Mem{Base: base.(Register), Index: i.(Register), Scale: uint8(size)}
}
