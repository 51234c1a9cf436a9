package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A sixteen adds up something of all elements of a row, in sixteen sums: element
// c goes into sum c%16. They are added in a fixed order, so that vectors of any
// width, and a plain loop, give the same bits.
type sixteen struct {
	floats
	whole Register // the bytes of the row in runs of sixteen
	rest  Register // those behind
}

// sixteen divides rows of some bytes.
func (f floats) sixteen(bytes Register) sixteen {
	s := sixteen{f, GP64(), GP64()}
	run := 16 * f.size()
	MOVQ(bytes, s.rest)
	ANDQ(Imm(uint64(run-1)), s.rest)
	MOVQ(bytes, s.whole)
	SUBQ(s.rest, s.whole)
	return s
}

// sum emits the loop over a row and returns a register with the total. term
// makes a vector of what is added, of the elements disp bytes behind the offset
// off: a masked one must be zero where it is masked. To add zero changes
// nothing: a sum that began as +0 is never -0.
func (s sixteen) sum(off Register, term func(disp int, p part) Op) Op {
	run := 16 * s.size()
	sums := make([]Op, run/vectorBytes)
	for v := range sums {
		sums[v] = vector()
		s.clear(sums[v])
	}
	XORQ(off, off)
	loop("sixteen", "sixteenCheck", func() {
		for v, sum := range sums {
			s.add(sum, term(v*vectorBytes, whole), sum)
		}
		ADDQ(U32(uint32(run)), off)
	}, below(off, s.whole))
	TESTQ(s.rest, s.rest)
	JZ(LabelRef("total"))
	for v, sum := range sums {
		s.add(sum, term(v*vectorBytes, masked(ones(128), 128+v*vectorBytes, s.rest)), sum)
	}
	Label("total")
	return s.total(sums)
}

// total adds the second half of the sums to the first, until one is left.
func (s sixteen) total(sums []Op) Op {
	for len(sums) > 1 {
		half := len(sums) / 2
		for v := range half {
			s.add(sums[half+v], sums[v], sums[v])
		}
		sums = sums[:half]
	}
	low := sums[0]
	high := XMM()
	VEXTRACTF128(Imm(1), low, high)
	one := low.(Register).(VecVirtual).AsX()
	s.add(high, one, one)
	if s.bits == 32 {
		VPERMILPD(Imm(1), one, high)
		s.add(high, one, one)
		VMOVSHDUP(one, high)
		s.addOne(high, one, one)
	} else {
		VPERMILPD(Imm(1), one, high)
		s.addOne(high, one, one)
	}
	return one
}
