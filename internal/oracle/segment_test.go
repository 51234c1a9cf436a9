package oracle

import (
	"fmt"
	"math"
	"testing"
)

// TestSegments has results and gradients by hand: the first and the last row are in no
// segment, segment 1 has no rows. The gradient of the result is [1, 2, 3].
func TestSegments(t *testing.T) {
	ids := []int64{-1, 0, 0, 2, 2, 3}
	for _, c := range []struct {
		reduction  Reduction
		x, y, grad []float64
	}{
		{Add, []float64{9, 2, 3, 4, 5, 9}, []float64{5, 7, 9}, []float64{0, 1, 1, 3, 3, 0}},
		{Mean, []float64{9, 2, 3, 4, 5, 9}, []float64{2.5, 7, 4.5}, []float64{0, .5, .5, 1.5, 1.5, 0}},
		{Mul, []float64{9, 0, 3, 0, 0, 9}, []float64{0, 7, 0}, []float64{0, 3, 0, 0, 0, 0}},
		{Min, []float64{-9, 3, 3, 4, 5, -9}, []float64{3, 7, 4}, []float64{0, .5, .5, 3, 0, 0}},
		{Max, []float64{9, 3, math.NaN(), 4, 5, 9}, []float64{math.NaN(), 7, 5}, []float64{0, 0, 1, 0, 3, 0}},
	} {
		data := From(c.x, 6)
		y := Segments(data, ids, 3, c.reduction, 7, Floats[float64]())
		grad := SegmentGrad(From([]float64{1, 2, 3}, 3), data, ids, c.reduction, Floats[float64]())
		if got, want := fmt.Sprint(y.Data, grad.Data), fmt.Sprint(c.y, c.grad); got != want {
			t.Errorf("%v: %s, want %s", c.reduction, got, want)
		}
	}
	means := Segments(From([]int8{-3, -4, -4, 127, 127}, 5), []int64{0, 0, 0, 1, 1}, 2, Mean, 0, Integers[int8]())
	if got := fmt.Sprint(means.Data); got != "[-4 127]" {
		t.Errorf("means of integers %s", got)
	}
	if y := Segments(From([]float64{math.Copysign(0, -1)}, 1), []int64{0}, 1, Add, 0, Floats[float64]()); math.Signbit(y.Data[0]) {
		t.Error("the sum of -0 alone is -0, want 0")
	}
}

func TestSegmentSoftmax(t *testing.T) {
	ids := []int64{-1, 0, 0, 2, 3}
	x := From([]float64{1, 5, 5 + math.Log(3), 8, 1}, 5)
	y := SegmentSoftmax(x, ids, 3)
	grad := SegmentSoftmaxGrad(From([]float64{1, 4, 8, 3, 1}, 5), y, ids, 3)
	for i, want := range []float64{0, 0.25, 0.75, 1, 0} {
		if math.Abs(y.Data[i]-want) > 1e-15 {
			t.Errorf("element %d is %v, want %v", i, y.Data[i], want)
		}
	}
	for i, want := range []float64{0, -0.75, 0.75, 0, 0} {
		if math.Abs(grad.Data[i]-want) > 1e-14 {
			t.Errorf("gradient %d is %v, want %v", i, grad.Data[i], want)
		}
	}
	if y := SegmentSoftmax(From([]float64{math.Inf(-1)}, 1), []int64{0}, 1); !math.IsNaN(y.Data[0]) {
		t.Errorf("of -Inf alone %v, want NaN", y.Data[0])
	}
}
