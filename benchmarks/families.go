package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// family is a family of loops in assembly: an operation over its dtypes and index
// widths, which is kept or dropped as a whole. CONTRIBUTING.md has the rule.
type family struct {
	Name string
	// Functions is a regular expression for the names of its functions in assembly.
	Functions string
	// loops are pointers to the loops of an implementation, or to what chooses them.
	loops func(i *simd.Implementation) []any
}

// families are all that there are.
func families() []family {
	return []family{
		{"rows copied", `^copyRows`, func(i *simd.Implementation) []any { return []any{&i.CopyRows, &i.CopyShort, &i.MinVectorBytes} }},
		{"rows set", `^setRows`, func(i *simd.Implementation) []any { return []any{&i.SetRows} }},
		{"rows added", `^addRows(Int|Float(32|64))`, func(i *simd.Implementation) []any {
			return combinedRows(i, num.Add)
		}},
		{"rows reduced", `^(sub|mul|min|max)Rows(Int|Uint|Float(32|64))`, func(i *simd.Implementation) []any {
			return combinedRows(i, num.Sub, num.Mul, num.Min, num.Max)
		}},
		{"elements at offsets", `ItemsFloat(32|64)Far$`, func(i *simd.Implementation) (all []any) {
			for r := range i.Combine[num.Float32] {
				all = append(all, &i.Combine[num.Float32][r].Offsets, &i.Combine[num.Float64][r].Offsets)
			}
			return all
		}},
		{"elements copied", `^copyItems`, func(i *simd.Implementation) []any { return []any{&i.CopyItems} }},
		{"lines prefetched", `^prefetchLine`, func(i *simd.Implementation) []any { return []any{&i.PrefetchLines} }},
		{"16-bit floats", `(Items|Line|Rows)B?Float16|^sumBags|^hasF16C`, func(i *simd.Implementation) (all []any) {
			for r := range i.Combine[num.Float16] {
				for _, loops := range []*simd.CombineLoops{&i.Combine[num.Float16][r], &i.Combine[num.BFloat16][r]} {
					all = append(all, &loops.Lines, &loops.Rows, &loops.Offsets, &loops.Same)
				}
			}
			return append(all, &i.Means[num.Float16].Rows, &i.Means[num.BFloat16].Rows, &i.Bags[num.Float16].Add, &i.Bags[num.BFloat16].Add)
		}},
		{"means", `^(quotients|divideRows)Float(32|64)`, func(i *simd.Implementation) (all []any) {
			for _, kind := range floats {
				m := i.Means[kind]
				all = append(all, &m.Quotients, &m.Rows)
			}
			return all
		}},
		{"rows of few bits", `^(decode|addBags)(Int[48]|B?Float16)`, func(i *simd.Implementation) (all []any) {
			for _, p := range []*simd.PackedLoops{&i.Packed.Float16, &i.Packed.BFloat16, &i.Packed.Int8, &i.Packed.Int4} {
				all = append(all, &p.Decode, &p.AddBags)
			}
			return all
		}},
		{"bags", `^(add|addScaled|max)BagsFloat(32|64)`, func(i *simd.Implementation) (all []any) {
			for _, kind := range floats {
				b := i.Bags[kind]
				all = append(all, &b.Add, &b.AddScaled, &b.Max)
			}
			return all
		}},
		{"gradients of bags", `^(addScaledRows|dotRows)`, func(i *simd.Implementation) (all []any) {
			for _, kind := range floats {
				b := i.Bags[kind]
				all = append(all, &b.AddScaledRows, &b.DotRows)
			}
			return all
		}},
		{"exponentials", `^expRows`, func(i *simd.Implementation) []any { return []any{&i.Exps} }},
		{"indices clamped", `^clamp`, func(i *simd.Implementation) []any { return []any{&i.Clamp} }},
		{"updates", `^(sgd|adagrad|adam|rowWiseAdagrad|sumSquares)`, func(i *simd.Implementation) (all []any) {
			for _, kind := range floats {
				u := i.Updates[kind]
				for _, rules := range []*simd.Rules{&u.Rules, &u.Plain} {
					all = append(all, &rules.SGD, &rules.Adagrad, &rules.RowWiseAdagrad, &rules.Adam)
				}
				all = append(all, &u.Squares)
			}
			return all
		}},
	}
}

// floats are the kinds that package simd has loops for.
var floats = [...]num.Kind{num.Float32, num.Float64}

// combinedRows are the loops over rows of some reductions.
func combinedRows(i *simd.Implementation, reductions ...num.Reduction) (all []any) {
	eachCombination(i, func(l *simd.CombineLoops, r num.Reduction) {
		if slices.Contains(reductions, r) {
			all = append(all, &l.Rows)
		}
	})
	return all
}

// eachCombination calls do with all reductions but those of 16-bit floats, a family of their own.
func eachCombination(i *simd.Implementation, do func(l *simd.CombineLoops, r num.Reduction)) {
	for kind := range i.Combine {
		if num.Kind(kind) == num.Float16 || num.Kind(kind) == num.BFloat16 {
			continue
		}
		for r := range i.Combine[kind] {
			do(&i.Combine[kind][r], num.Reduction(r))
		}
	}
}

// familyNamed finds a family.
func familyNamed(name string) (family, error) {
	var names []string
	for _, f := range families() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return family{}, fmt.Errorf("%q is no family of assembly, the families are: %s", name, strings.Join(names, ", "))
}

// withoutFamily is the implementation with a family in Go. It is for tests and benchmarks.
func withoutFamily(i *simd.Implementation, name string) (*simd.Implementation, error) {
	f, err := familyNamed(name)
	if err != nil {
		return nil, err
	}
	c := clone(i)
	with := f.loops(simd.Go)
	for n, loop := range f.loops(c) {
		reflect.ValueOf(loop).Elem().Set(reflect.ValueOf(with[n]).Elem())
	}
	return c, nil
}

// watchedFamily is the implementation with a call of called before each one of a loop of
// the family that is not Go's own.
func watchedFamily(i *simd.Implementation, name string, called func()) (*simd.Implementation, error) {
	f, err := familyNamed(name)
	if err != nil {
		return nil, err
	}
	c := clone(i)
	with := f.loops(simd.Go)
	for n, loop := range f.loops(c) {
		watch(reflect.ValueOf(loop).Elem(), reflect.ValueOf(with[n]).Elem(), called)
	}
	return c, nil
}

// watch replaces the loops of a field, which may be arrays, where Go has others.
func watch(loop, inGo reflect.Value, called func()) {
	switch loop.Kind() {
	case reflect.Func:
		if loop.IsNil() || loop.Pointer() == inGo.Pointer() {
			return
		}
		before := reflect.ValueOf(loop.Interface())
		loop.Set(reflect.MakeFunc(loop.Type(), func(args []reflect.Value) []reflect.Value {
			called()
			return before.Call(args)
		}))
	case reflect.Array:
		for n := range loop.Len() {
			watch(loop.Index(n), inGo.Index(n), called)
		}
	case reflect.Pointer: // to the loops for both index widths, which implementations share
		if loop.IsNil() {
			return
		}
		other := reflect.Zero(loop.Type().Elem())
		if !inGo.IsNil() {
			other = inGo.Elem()
		}
		both := reflect.New(loop.Type().Elem())
		both.Elem().Set(loop.Elem())
		watch(both.Elem(), other, called)
		loop.Set(both.Convert(loop.Type()))
	}
}

// clone is a copy that shares nothing with others which a family may change.
func clone(i *simd.Implementation) *simd.Implementation {
	out := *i
	for kind := range num.Kinds {
		out.Means[kind], out.Bags[kind], out.Updates[kind] = cloned(i.Means[kind]), cloned(i.Bags[kind]), cloned(i.Updates[kind])
	}
	return &out
}

func cloned[T any](p *T) *T {
	if p == nil {
		return nil
	}
	out := *p
	return &out
}
