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

// function begins a function of a family, which is the loop of some fields of an
// Implementation.
func (k *family) function(name string, fields ...string) {
	TEXT(name, NOSPLIT, "func"+k.arguments)
	Pragma("noescape")
	if !told[k] {
		told[k] = true
		Doc(strings.Split(name+" "+k.twin, "\n")...)
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
	return param(name)
}

// param is where an argument is in memory.
func param(name string) Mem {
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
