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

var told = map[*family]bool{}

// function begins a function of a family.
func (f *family) function(name string) {
	TEXT(name, NOSPLIT, "func"+f.arguments)
	Pragma("noescape")
	if !told[f] {
		told[f] = true
		Doc(strings.Split(name+" "+f.twin, "\n")...)
	}
}

// load loads a parameter into a new register.
func load(name string) Register { return Load(Param(name), GP64()) }

// param is where a parameter is in memory.
func param(name string) Mem {
	basic, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return basic.Addr
}

// loop emits a loop, which begins with its check: again jumps to the body if there is more.
func loop(body, check string, do func(), again func(to LabelRef)) {
	JMP(LabelRef(check))
	Label(body)
	do()
	Label(check)
	again(LabelRef(body))
}

// below is the check that a is less than b.
func below(a, b Op) func(LabelRef) {
	return func(to LabelRef) {
		CMPQ(a, b)
		JLT(to)
	}
}

// eachRow emits a loop over t from 0 to n, and the end of the function.
func eachRow(t Register, n Op, row func()) {
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

func at(base, index Register) Mem { return Mem{Base: base, Index: index, Scale: 1} }

// element is element i of words of a size.
func element(base, i Register, size int) Mem { return Mem{Base: base, Index: i, Scale: uint8(size)} }
