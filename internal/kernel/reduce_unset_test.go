package kernel

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/internal/num"
)

// TestUnsetLoops runs the loops that take one value for the neutral element, next to
// guard words: with bad indices, and updates that make that value.
func TestUnsetLoops(t *testing.T) {
	const size = 7
	tested := 0
	for _, i := range Implementations {
		for kind := num.Kind(0); kind < num.Kinds; kind++ {
			for r, loops := range i.combine[kind] {
				if loops.unset == nil {
					continue
				}
				tested++
				w, unset := kind.Width(), unsetElements[kind]
				neutral, one := Neutral(kind, num.Reduction(r)), inGo.combine[kind][r].row
				for n := range 60 {
					rng := rand.New(rand.NewPCG(uint64(n), 16))
					run := n % 20
					stride, step := w*(1+rng.IntN(3)), 0
					if n%3 == 0 {
						stride, step = 20*w, w
					}
					data, items := newGuarded((size-1)*stride+max(0, run-1)*step+w, n%3*4), newGuarded(run*w, n%5*4)
					copy(data.mem, smallNumbers(rng, len(data.mem)))
					copy(items.mem, smallNumbers(rng, len(items.mem)))
					for at := 0; at+w <= len(data.mem); at += w {
						if rng.IntN(2) == 0 {
							copy(data.mem[at:], unset[:w])
						}
					}
					if run > 0 && n%4 == 0 {
						copy(items.mem[rng.IntN(run)*w:], unset[:w])
					}
					idx := make([]int64, run)
					narrow := make([]int32, run)
					for p := range idx {
						idx[p] = int64(rng.IntN(2*size) - size)
						if n%7 == 0 && p == run/2 {
							idx[p] = size
						}
						narrow[p] = int32(idx[p])
					}
					want, done := bytes.Clone(data.mem), 0
					for ; done < run && idx[done] < size; done++ {
						target := want[int(idx[done]+size)%size*stride+done*step:][:w]
						result := bytes.Clone(target)
						if bytes.Equal(result, unset[:w]) {
							copy(result, neutral)
						}
						one(pointer(result), pointer(items.mem[done*w:]), new(int64), new(int64), 1, w, 0, 0)
						if bytes.Equal(result, unset[:w]) {
							break
						}
						copy(target, result)
					}
					start := bytes.Clone(data.mem)
					for k, mem := range [][]byte{num.Bytes(narrow), num.Bytes(idx)} {
						copy(data.mem, start)
						got := loops.unset[k](pointer(data.mem), pointer(items.mem), pointer(mem), run, size, size, stride, step)
						what := fmt.Sprintf("%s, kind %d, reduction %d, indices %v", i.Name, kind, r, idx)
						if got != done || !bytes.Equal(data.mem, want) {
							t.Fatalf("%s: did %d, want %d, or the wrong ones", what, got, done)
						}
						data.check(t, what)
						items.check(t, what)
					}
				}
			}
		}
	}
	if len(Implementations) > 1 && tested == 0 {
		t.Error("there are none")
	}
}

// TestWideLoops runs the loops that reduce integers of 8 and 16 bits in 32, and what makes
// them narrow again, next to guard words.
func TestWideLoops(t *testing.T) {
	const size = 7
	for _, i := range Implementations {
		for kind := num.Kind(0); kind < num.Kinds; kind++ {
			for r, loops := range i.combine[kind] {
				if loops.wide == nil {
					continue
				}
				w, unset := kind.Width(), uint64(unset32)
				if num.Reduction(r) == num.Add {
					unset = 0
				}
				one := inGo.combine[kind][r].row
				for run := range 40 {
					rng := rand.New(rand.NewPCG(uint64(run), 18))
					stride, step := 1+rng.IntN(3), 0
					if run%3 == 0 {
						stride, step = 40, 1
					}
					n := (size-1)*stride + max(0, run-1)*step + 1
					marks, items := newGuarded(4*n, 4), newGuarded(run*w, run%5)
					to, old := newGuarded(n*w, 8), smallNumbers(rng, n*w)
					i.fill(pointer(marks.mem), 4*n, unset|unset<<32)
					for b := range items.mem {
						items.mem[b] = byte(rng.Uint32())
					}
					want, met, idx := bytes.Clone(old), make([]bool, n), make([]int64, run)
					bad := run
					if run%4 == 1 {
						bad = rng.IntN(run)
					}
					for p := range idx {
						if idx[p] = int64(rng.IntN(2*size) - size); p == bad {
							idx[p] = size
						}
						if p < bad {
							at := int(idx[p]+size)%size*stride + p*step
							target := want[at*w:][:w]
							if !met[at] {
								copy(target, Neutral(kind, num.Reduction(r)))
							}
							met[at] = true
							one(pointer(target), pointer(items.mem[p*w:]), new(int64), new(int64), 1, w, 0, 0)
						}
					}
					got := loops.wide[1](nil, pointer(items.mem), pointer(idx), pointer(marks.mem), run, size, size, stride, step)
					i.narrow[log2(w)](pointer(to.mem), pointer(old), pointer(marks.mem), n, unset)
					what := fmt.Sprintf("%s, kind %d, reduction %d, indices %v", i.Name, kind, r, idx)
					if got != bad || !bytes.Equal(to.mem, want) {
						t.Fatalf("%s: did %d, want %d, or the wrong ones", what, got, bad)
					}
					for _, g := range []guarded{marks, items, to} {
						g.check(t, what)
					}
				}
			}
		}
	}
}

// TestReplaceUnset puts old values back in rows of all short lengths.
func TestReplaceUnset(t *testing.T) {
	for _, i := range Implementations {
		for kind, unset := range unsetElements {
			if unset == nil || i.replace[log2(num.Kind(kind).Width())] == nil {
				continue
			}
			w := num.Kind(kind).Width()
			for n := range 70 {
				rng := rand.New(rand.NewPCG(uint64(n), 17))
				to, old := newGuarded(n*w, 8), smallNumbers(rng, n*w)
				i.fill(pointer(to.mem), n*w, num.As[uint64](unset)[0])
				if !bytes.Equal(to.mem, bytes.Repeat(unset[:w], n)) {
					t.Fatalf("kind %d, %d elements: not filled", kind, n)
				}
				want := bytes.Clone(old)
				for at := range n {
					if rng.IntN(2) == 0 {
						copy(to.mem[at*w:][:w], smallNumbers(rng, w))
						copy(want[at*w:], to.mem[at*w:][:w])
					}
				}
				i.replace[log2(w)](pointer(to.mem), pointer(old), n, unsets[kind])
				what := fmt.Sprintf("%s, kind %d, %d elements", i.Name, kind, n)
				if !bytes.Equal(to.mem, want) {
					t.Errorf("%s: wrong values", what)
				}
				to.check(t, what)
			}
		}
	}
}
