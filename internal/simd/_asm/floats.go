package main

import (
	"fmt"
	"math/bits"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const vectorBytes = 32

// A part of a row is a single number, or a vector of 16 or 32 bytes or, with a mask, less. What
// is masked is read as zero and not written, and its memory need not be there.
type part struct {
	bytes int
	mask  Op
}

// whole is a part that fills a vector.
var whole = part{bytes: vectorBytes}

// masked is the part of a row's last bytes, fewer than n, that begins skip bytes behind the first.
func masked(n, skip int, bytes Op) part {
	at := GP64()
	LEAQ(ones(n).Offset(n+skip), at)
	SUBQ(bytes, at)
	return part{vectorBytes, whole.load(behind(at, 0))}
}

// register is a new register for the part.
func (p part) register() Op { return p.of(YMM()) }

// of is a register of 32 bytes as long as the part.
func (p part) of(v Op) Op {
	if p.bytes == vectorBytes {
		return v
	}
	return v.(VecVirtual).AsX()
}

// load reads the part into a new register.
func (p part) load(from Op) Op {
	to := p.register()
	p.move(from, to)
	return to
}

// operand is a vector in memory as one of an instruction that reads whole vectors, or else loads it.
func (p part) operand(m Op) Op {
	if p.mask != nil || p.bytes < 16 {
		return p.load(m)
	}
	return m
}

// move loads or stores the part.
func (p part) move(from, to Op) {
	_, loads := to.(Register)
	switch {
	case p.mask != nil:
		VMASKMOVPS(from, p.of(p.mask), to)
	case p.bytes == 1 && loads:
		VPBROADCASTB(from, to)
	case p.bytes == 1:
		VPEXTRB(Imm(0), from, to)
	case p.bytes == 2 && loads:
		VPBROADCASTW(from, to)
	case p.bytes == 2:
		VPEXTRW(Imm(0), from, to)
	case p.bytes == 4:
		VMOVSS(from, to)
	case p.bytes == 8:
		VMOVSD(from, to)
	default:
		VMOVDQU(from, to)
	}
}

// floats are a part of floats of 32 or 64 bits. Their instructions take operands in Go's order and return the target, which comes
// last: sub(a, b, c) is c = b - a, sub(a, b) is b -= a. Where both operands are NaN, the result has the payload of b.
type floats struct {
	bits int
	part
}

// Vectors of floats.
var (
	float32s   = floats{32, whole}
	float64s   = floats{64, whole}
	bothFloats = []floats{float32s, float64s}
)

// name is how a function for these floats is called, field that of a table by kinds.
func (f floats) name(what string) string { return fmt.Sprintf("%sFloat%dAVX2", what, f.bits) }
func (f floats) field(table, name string) string {
	return fmt.Sprintf("%s[num.Float%d].%s", table, f.bits, name)
}

func (f floats) size() int { return f.bits / 8 }

// single is one of the floats.
func (f floats) single() floats { return floats{f.bits, part{bytes: f.size()}} }

// pick chooses between the instructions for the two widths.
func pick[F any](f floats, single, double F) F {
	if f.bits == 64 {
		return double
	}
	return single
}

// pick is the instruction for one of the two widths. It returns the target.
func (f floats) pick(single, double func(...Op), ops ...Op) Op {
	pick(f, single, double)(ops...)
	return ops[len(ops)-1]
}

// do is the instruction for a single float, or for vectors.
func (f floats) do(one32, one64, all32, all64 func(...Op), ops []Op) Op {
	if len(ops) == 2 {
		ops = append(ops, ops[1])
	}
	if f.bytes == f.size() {
		return f.pick(one32, one64, ops...)
	}
	return f.pick(all32, all64, ops...)
}

func (f floats) add(ops ...Op) Op { return f.do(VADDSS, VADDSD, VADDPS, VADDPD, ops) }
func (f floats) sub(ops ...Op) Op { return f.do(VSUBSS, VSUBSD, VSUBPS, VSUBPD, ops) }
func (f floats) mul(ops ...Op) Op { return f.do(VMULSS, VMULSD, VMULPS, VMULPD, ops) }
func (f floats) div(ops ...Op) Op { return f.do(VDIVSS, VDIVSD, VDIVPS, VDIVPD, ops) }
func (f floats) min(ops ...Op) Op { return f.do(VMINSS, VMINSD, VMINPS, VMINPD, ops) }
func (f floats) max(ops ...Op) Op { return f.do(VMAXSS, VMAXSD, VMAXPS, VMAXPD, ops) }

// fill fills a new vector with one float.
func (f floats) fill(from Op) Op { return f.pick(VBROADCASTSS, VBROADCASTSD, from, YMM()) }

// setZero makes a vector all zeros.
func setZero(v Op) Op {
	VXORPS(v, v, v)
	return v
}

// log2 is the logarithm of a power of two.
func log2(n int) int { return bits.TrailingZeros(uint(n)) }

var tables = map[string]Mem{}

// table is constant data that is made once.
func table(name string, values ...Constant) Mem {
	if _, made := tables[name]; !made {
		tables[name] = GLOBL(name, RODATA|NOPTR)
		offset := 0
		for _, v := range values {
			DATA(offset, v)
			offset += v.Bytes()
		}
	}
	return tables[name]
}

// fourOf is a table of four equal numbers.
func fourOf(name string, v uint64) Mem { return table(name, slices.Repeat([]Constant{U64(v)}, 4)...) }

// eightOf is a table of eight equal numbers.
func eightOf(name string, v uint32) Mem { return fourOf(name, uint64(v)<<32|uint64(v)) }

// ones is n bytes of ones, and as many of zeros.
func ones(n int) Mem {
	all, none := []Constant{U64(1<<64 - 1)}, []Constant{U64(0)}
	return table(fmt.Sprint("ones", n), append(slices.Repeat(all, n/8), slices.Repeat(none, n/8)...)...)
}
