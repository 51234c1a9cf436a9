package kernel

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/gather/internal/simd"
)

// TestMean compares means, with the old value and without, with sums that are divided
// one by one.
func TestMean(t *testing.T) {
	number := 0
	for shape, s := range append([]reduceShape{{2, 900, 100, 1, 1, true}, {2, 9000, 100, 1, 1, true}, {1, 3000, 30, 100, 1, true}}, reduceShapes...) {
		rng := rand.New(rand.NewPCG(13, 14))
		idx := s.indices(rng)
		number++ // so that a kind's means of another shape have other turns
		targets := s.targets(idx)
		for kind := num.Kind(0); kind < num.Kinds; kind++ {
			if simd.Go.Means[kind] == nil || someOnly(3, shape, int(kind)) {
				continue
			}
			w := kind.Width()
			old, updates := smallNumbers(rng, s.batch*s.span()*w), smallNumbers(rng, s.items()*w)
			// NaN, and infinity with its like and its opposite. For the race detector Go adds
			// operands in another order, which of two NaN makes another.
			if kind == num.Float32 && !race.Enabled {
				for i := range s.items() / 8 {
					num.As[float32](updates)[i*8] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1))}[i%4]
				}
			}
			for _, noInit := range []bool{false, true} {
				want, counts := bytes.Clone(old), make([]int, len(old)/w)
				var zero int64
				for i, at := range targets {
					target := want[at*w:][:w]
					if counts[at] == 0 && noInit {
						clear(target)
					}
					counts[at]++
					simd.Go.Combine[kind][num.Add].Rows(num.Pointer(target), num.Pointer(updates[i*w:]), &zero, &zero, 1, w, 0, 0)
				}
				for at, n := range counts {
					if n == 0 {
						continue
					}
					if !noInit {
						n++
					}
					divideOne(kind, want[at*w:][:w], n)
				}
				number++
				s.eachPlace(t, fmt.Sprintf("kind %d, without old values %t", kind, noInit), number, idx, old, updates, want, func(c *testCall) int {
					c.NoInit = noInit
					return c.mean(kind)
				})
			}
		}
	}
}

// divideOne divides one element, by what is written here once more.
func divideOne(kind num.Kind, mem []byte, n int) {
	switch p := unsafe.Pointer(&mem[0]); kind {
	case num.Float16:
		*(*uint16)(p) = num.Float16From32(num.Float16To32(*(*uint16)(p)) / float32(n))
	case num.BFloat16:
		*(*uint16)(p) = num.BFloat16From32(num.BFloat16To32(*(*uint16)(p)) / float32(n))
	case num.Float32:
		*(*float32)(p) /= float32(n)
	case num.Float64:
		*(*float64)(p) /= float64(n)
	case num.Complex64:
		*(*complex64)(p) /= complex(float32(n), 0)
	case num.Complex128:
		*(*complex128)(p) /= complex(float64(n), 0)
	}
}

// TestQuotients divides rows of all short lengths, next to guard words, and leaves
// counts that are 0.
func TestQuotients(t *testing.T) {
	for _, i := range simd.Implementations {
		for kind, loops := range i.Means {
			if loops == nil {
				continue
			}
			w := num.Kind(kind).Width()
			for n := range 40 {
				rng := rand.New(rand.NewPCG(15, uint64(n)))
				before := smallNumbers(rng, n*w)
				for _, more := range []int{0, 1} {
					got, row, counts := newGuarded(n*w, 8), newGuarded(n*w, 8), newGuarded(4*n, 4)
					copy(got.mem, before)
					copy(row.mem, before)
					want, wantRow := bytes.Clone(before), bytes.Clone(before)
					for j := range n {
						count := int32(rng.IntN(3)) << (rng.IntN(2) * 24)
						num.As[int32](counts.mem)[j] = count
						divideOne(num.Kind(kind), wantRow[j*w:], 3)
						if count != 0 {
							divideOne(num.Kind(kind), want[j*w:], int(count)+more)
						}
					}
					loops.Quotients(num.Pointer(got.mem), num.Pointer(counts.mem), n, more)
					loops.Rows(num.Pointer(row.mem), num.Pointer([]int32{3}), &make([]int64, 1+simd.Lookahead)[0], 1, n*w, 0, 0)
					what := fmt.Sprintf("%s, kind %d, %d elements", i.Name, kind, n)
					if !bytes.Equal(got.mem, want) || !bytes.Equal(row.mem, wantRow) || bytes.Count(counts.mem, []byte{0}) != len(counts.mem) {
						t.Errorf("%s: wrong quotients", what)
					}
					got.check(t, what)
					row.check(t, what)
					counts.check(t, what)
				}
			}
		}
	}
}

// TestMeanOfChangedIndices changes the indices when the first of them have been added, as
// another goroutine may: to what is out of range, and to one that is good. No count is
// left for the next call, and nothing is read or written outside of data.
func TestMeanOfChangedIndices(t *testing.T) {
	if race.Enabled {
		t.Skip("indices are changed on purpose while goroutines read them")
	}
	for _, kind := range []num.Kind{num.Float32, num.Complex128} { // with loops in assembly, and without
		for _, s := range append([]reduceShape{{1, 9000, 100, 1, 1, true}, {1, 3000, 30, 100, 1, true}}, reduceShapes...) {
			rng := rand.New(rand.NewPCG(17, 18))
			idx, w := s.indices(rng), kind.Width()
			data, updates := newGuarded(s.batch*s.span()*w, 8), smallNumbers(rng, s.items()*w)
			mean := func(idx []int64) int {
				c := s.call(idx, data.mem, updates)
				defer c.Put()
				return c.mean(kind)
			}
			clear(data.mem)
			mean(idx)
			want := bytes.Clone(data.mem)
			for _, changed := range []int64{1 << 40, -1 << 40, 1} {
				spoiled := append([]int64(nil), idx...)
				restore := simd.Use(changing(kind, func() {
					for i := range spoiled {
						spoiled[i] = changed
					}
				}))
				mean(spoiled)
				restore()
				what := fmt.Sprintf("%+v, kind %d, changed to %d", s, kind, changed)
				data.check(t, what)
				clear(data.mem)
				if bad := mean(idx); bad >= 0 || !bytes.Equal(data.mem, want) {
					t.Errorf("%s: wrong means in the next call, bad index %d", what, bad)
				}
			}
		}
	}
}

// changing is the active implementation with sums after which something else is done.
func changing(kind num.Kind, after func()) *simd.Implementation {
	i, sums := *simd.Active(), simd.Active().Combine[kind][num.Add]
	var lines simd.LineLoops
	for k, loop := range sums.Lines {
		lines[k] = func(data, items, idx *byte, l *simd.Line) int {
			defer after()
			return loop(data, items, idx, l)
		}
	}
	wrap := func(loop simd.ScatterLoop) simd.ScatterLoop {
		return func(data, items *byte, offsets, places *int64, n, bytes, step, distance int) {
			loop(data, items, offsets, places, n, bytes, step, distance)
			after()
		}
	}
	i.Combine[kind][num.Add] = simd.CombineLoops{Lines: lines, Rows: wrap(sums.Rows), Offsets: wrap(sums.Offsets)}
	means := *i.Means[kind]
	i.Means[kind] = &means
	return &i
}
