package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func combiners() (all []combiner) {
	for i, size := range []int{1, 2, 4, 8} {
		all = append(all, integers(i, size)...)
		for _, signed := range []bool{true, false} {
			all = append(all, extremes(i, size, signed)...)
		}
	}
	for _, f := range []floats{{32}, {64}} {
		all = append(all, f.combiners()...)
	}
	return all
}

// integers are the reductions that are alike for integers with a sign and without.
// i is the logarithm of their size.
func integers(i, size int) []combiner {
	of := fmt.Sprintf("Int%d", 8*size)
	vector := func(instruction func(...Op)) func(bytes int, item Mem, target Op) {
		if instruction == nil {
			return nil
		}
		return func(_ int, item Mem, target Op) { instruction(item, target, target) }
	}
	add := []func(...Op){VPADDB, VPADDW, VPADDD, VPADDQ}[i]
	sub := []func(...Op){VPSUBB, VPSUBW, VPSUBD, VPSUBQ}[i]
	mul := []func(...Op){nil, VPMULLW, VPMULLD, nil}[i]
	times := func(target, update GPVirtual) {
		if size == 8 {
			IMULQ(update, target)
		} else {
			IMULL(update.As32(), target.As32())
		}
	}
	return []combiner{
		{name: "add", of: of, size: size, one: func(data, item Mem) {
			v := GP64()
			load(size, false, item, v)
			switch size {
			case 8:
				ADDQ(v, data)
			case 4:
				ADDL(v.As32(), data)
			case 2:
				ADDW(v.As16(), data)
			default:
				ADDB(v.As8(), data)
			}
		}, all: vector(add)},
		{name: "sub", of: of, size: size, one: func(data, item Mem) {
			v := GP64()
			load(size, false, item, v)
			switch size {
			case 8:
				SUBQ(v, data)
			case 4:
				SUBL(v.As32(), data)
			case 2:
				SUBW(v.As16(), data)
			default:
				SUBB(v.As8(), data)
			}
		}, all: vector(sub)},
		{name: "mul", of: of, size: size, one: func(data, item Mem) {
			target, update := GP64(), GP64()
			load(size, false, data, target)
			load(size, false, item, update)
			times(target, update)
			store(size, target, data)
		}, all: vector(mul)},
	}
}

// extremes are min and max of integers.
func extremes(i, size int, signed bool) []combiner {
	of := fmt.Sprintf("Uint%d", 8*size)
	least, most := CMOVLHI, CMOVLCS
	min := []func(...Op){VPMINUB, VPMINUW, VPMINUD, nil}[i]
	max := []func(...Op){VPMAXUB, VPMAXUW, VPMAXUD, nil}[i]
	if size == 8 {
		least, most = CMOVQHI, CMOVQCS
	}
	if signed {
		of = fmt.Sprintf("Int%d", 8*size)
		least, most = CMOVLGT, CMOVLLT
		min = []func(...Op){VPMINSB, VPMINSW, VPMINSD, nil}[i]
		max = []func(...Op){VPMAXSB, VPMAXSW, VPMAXSD, nil}[i]
		if size == 8 {
			least, most = CMOVQGT, CMOVQLT
		}
	}
	// The update replaces the target if the target is greater, or less.
	combine := func(name string, replace func(mr, r Op), vector func(...Op)) combiner {
		join := func(target, update GPVirtual) {
			if size == 8 {
				CMPQ(target, update)
				replace(update, target)
			} else {
				CMPL(target.As32(), update.As32())
				replace(update.As32(), target.As32())
			}
		}
		c := combiner{name: name, of: of, size: size, signed: signed, one: func(data, item Mem) {
			target, update := GP64(), GP64()
			load(size, signed, data, target)
			load(size, signed, item, update)
			join(target, update)
			store(size, target, data)
		}}
		if vector != nil {
			c.all = func(_ int, item Mem, target Op) { vector(item, target, target) }
		}
		return c
	}
	return []combiner{combine("min", least, min), combine("max", most, max)}
}

// combiners are the reductions of floats. In operations on two NaN the target's
// payload stays, as in Go's loops.
func (f floats) combiners() []combiner {
	of := fmt.Sprintf("Float%d", f.bits)
	combine := func(name string, one, all func(update, target Op, new func() Op)) combiner {
		return combiner{name: name, of: of, size: f.size(), one: func(data, item Mem) {
			target, update := XMM(), XMM()
			f.moveOne(data, target)
			f.moveOne(item, update)
			one(update, target, func() Op { return XMM() })
			f.moveOne(target, data)
		}, all: func(bytes int, item Mem, target Op) {
			vector := func() Op { return YMM() }
			if bytes == 16 {
				vector = func() Op { return XMM() }
			}
			update := vector()
			VMOVDQU(item, update)
			all(update, target, vector)
		}}
	}
	plain := func(instruction func(...Op)) func(update, target Op, new func() Op) {
		return func(update, target Op, _ func() Op) { instruction(update, target, target) }
	}
	least := func(instruction func(...Op)) func(update, target Op, new func() Op) {
		return func(update, target Op, new func() Op) { least(instruction, new(), update, target) }
	}
	most := func(instruction func(...Op)) func(update, target Op, new func() Op) {
		return func(update, target Op, new func() Op) {
			sign := new()
			VPCMPEQD(sign, sign, sign)
			pick(f, VPSLLD, VPSLLQ)(Imm(uint64(f.bits-1)), sign, sign)
			VPXOR(sign, update, update)
			VPXOR(sign, target, target)
			least(instruction)(update, target, new)
			VPXOR(sign, target, target)
		}
	}
	minOne, minAll := pick(f, VMINSS, VMINSD), pick(f, VMINPS, VMINPD)
	return []combiner{
		combine("add", plain(pick(f, VADDSS, VADDSD)), plain(pick(f, VADDPS, VADDPD))),
		combine("sub", plain(pick(f, VSUBSS, VSUBSD)), plain(pick(f, VSUBPS, VSUBPD))),
		combine("mul", plain(pick(f, VMULSS, VMULSD)), plain(pick(f, VMULPS, VMULPD))),
		combine("min", least(minOne), least(minAll)),
		combine("max", most(minOne), most(minAll)),
	}
}
