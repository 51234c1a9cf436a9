package kernel

import (
	"fmt"
	"gorgonia.org/gather/internal/num"
	"math"
	"slices"
	"testing"
)

// TestGradientsOfEveryKind demands gradients of floats and complex numbers, and
// of nothing else.
func TestGradientsOfEveryKind(t *testing.T) {
	for kind := range num.Kind(num.Kinds) {
		if has := GradientsOf(kind) != nil; has != (kind >= num.Float16) {
			t.Errorf("kind %d has gradients: %v", kind, has)
		}
	}
}

// TestScatterGradientLoops runs single loops on five updates of three places, of
// which the second has none.
func TestScatterGradientLoops(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	targets := []int{2, 0, 2, 2, 0}
	k := GradientsOf(num.Float64)
	run := func(n int, loop func(out []byte)) []float64 {
		out := slices.Repeat([]float64{99}, n)
		loop(num.Bytes(out))
		return out
	}
	grad := num.Bytes([]float64{6, inf, 12})
	ties := func(result, data, updates []float64, init bool) Ties {
		y := Ties{Result: num.Bytes(result), Data: num.Bytes(data), Updates: num.Bytes(updates), Targets: targets}
		k.CountTies(&y, init)
		return y
	}
	for _, c := range []struct {
		name      string
		got, want []float64
	}{
		{"Last", run(5, func(out []byte) { k.Last(out, grad, targets) }), []float64{0, 0, 0, 12, 6}},
		{"Share", run(5, func(out []byte) { k.Share(out, grad, targets, []int{2, 0, 3}) }), []float64{4, 3, 4, 4, 3}},
		{"Divide leaves what has no terms", run(3, func(out []byte) { copy(out, grad); k.Divide(out, []int{2, 0, 3}) }), []float64{3, inf, 4}},
		{"Negate makes no -0", run(2, func(out []byte) { copy(out, num.Bytes([]float64{0, 1})); k.Negate(out) }), []float64{0, -1}},
		{"Scale is 0 where nothing goes", run(3, func(out []byte) { k.Scale(out, grad, num.Bytes([]float64{2, 0, 3}), targets) }), []float64{12, 0, 36}},
		{"ShareTied", run(5, func(out []byte) {
			k.ShareTied(out, grad, ties([]float64{7, 1, 8}, []float64{7, 1, 2}, []float64{8, 7, 8, 3, 5}, true))
		}), []float64{6, 3, 6, 0, 0}},
		{"ShareTied without data", run(5, func(out []byte) {
			k.ShareTied(out, grad, ties([]float64{7, 1, 8}, []float64{7, 1, 8}, []float64{8, 7, 8, 3, 5}, false))
		}), []float64{6, 6, 6, 0, 0}},
		{"ShareTied of NaN", run(5, func(out []byte) {
			k.ShareTied(out, grad, ties([]float64{7, 1, nan}, []float64{0, 1, nan}, []float64{nan, 7, nan, 3, 5}, true))
		}), []float64{4, 6, 4, 0, 0}},
		{"DivideTied", run(3, func(out []byte) {
			copy(out, grad)
			k.DivideTied(out, ties([]float64{7, 1, 8}, []float64{7, 1, 2}, []float64{8, 7, 8, 3, 5}, true))
		}), []float64{3, inf, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !slices.Equal(num.Bytes(c.got), num.Bytes(c.want)) {
				t.Errorf("got %v, want %v", c.got, c.want)
			}
		})
	}
}

// TestScatterProductsOfManyZeros has as many zeros as the second derivative can
// bear, and one more, in the type that would divide worst.
func TestScatterProductsOfManyZeros(t *testing.T) {
	const n = 5
	k := GradientsOf(num.Float64)
	ones := slices.Repeat([]float64{1}, n)
	targets := make([]int, n)
	for zeros := range n + 1 {
		t.Run(fmt.Sprint(zeros, " zeros"), func(t *testing.T) {
			w := []float64{2, 3, 5, 7, 11}
			clear(w[n-zeros:])
			p := Product{Data: num.Bytes([]float64{13}), Updates: num.Bytes(w), Targets: targets, Init: true}
			first, second := make([]float64, n), make([]float64, n)
			k.Others(num.Bytes(first), num.Bytes([]float64{1}), p)
			k.OtherTwo(num.Bytes(second), num.Bytes(ones), num.Bytes([]float64{1}), p)
			for i := range n {
				others, pairs := 13.0, 0.0
				for j := range n {
					if j == i {
						continue
					}
					others *= w[j]
					pair := 13.0
					for l := range n {
						if l != i && l != j {
							pair *= w[l]
						}
					}
					pairs += pair
				}
				if first[i] != others || second[i] != pairs {
					t.Errorf("update %d: %v and %v, want %v and %v", i, first[i], second[i], others, pairs)
				}
			}
		})
	}
}
