package shapes_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gorgonia.org/gather/shapes"
)

// FuzzShapes gives every function shapes of the fuzzer's bytes: the dims -1 to 6,
// and some that are huge. What they accept must be a shape, and what they refuse a
// sentinel; no argument may change.
func FuzzShapes(f *testing.F) {
	f.Add(byte(0), []byte{1, 2, 3}, []byte{1}, []byte{}, int8(0), int8(0))
	f.Add(byte(4), []byte{2, 3}, []byte{2, 1}, []byte{2, 3}, int8(1), int8(0))
	f.Add(byte(2), []byte{2, 3}, []byte{2, 0}, []byte{2, 2, 3}, int8(-1), int8(1))
	f.Add(byte(6), []byte{2, 3, 4}, []byte{2, 3, 4}, []byte{3}, int8(0), int8(0))
	f.Fuzz(func(t *testing.T, function byte, a, b, c []byte, axis, batchDims int8) {
		in := []shape{dimsOf(a), dimsOf(b), dimsOf(c)}
		kept := []shape{slices.Clone(in[0]), slices.Clone(in[1]), slices.Clone(in[2])}
		var got shape
		var err error
		switch function % 8 {
		case 0:
			got, err = shapes.Gather(in[0], in[1], int(axis), int(batchDims))
		case 1:
			got, err = shapes.GatherElements(in[0], in[1], int(axis))
		case 2:
			got, err = shapes.GatherND(in[0], in[1], int(batchDims))
		case 3:
			got, err = shapes.ScatterElements(in[0], in[1], in[2], int(axis))
		case 4:
			got, err = shapes.ScatterND(in[0], in[1], in[2])
		case 5:
			got, err = shapes.ScatterUpdate(in[0], in[1], in[2], int(axis))
		case 6:
			got, err = shapes.GatherTree(in[0], in[1], in[2], dimsOf(nil))
		case 7:
			got, err = shapes.SegmentSum(in[0], in[1], int(axis))
		}
		if err != nil {
			if got != nil || !errors.Is(err, shapes.ErrShape) && !errors.Is(err, shapes.ErrAxis) {
				t.Errorf("function %d of %v: %v and the error %v", function%8, in, got, err)
			}
			if len(err.Error()) > 1000 {
				t.Errorf("an error of %d bytes: %.200v", len(err.Error()), err)
			}
		}
		size := 1
		for _, n := range got {
			if n < 0 || n > 0 && size > math.MaxInt/n {
				t.Errorf("function %d of %v: %v is no shape", function%8, in, got)
			}
			if size *= n; size == 0 {
				break
			}
		}
		if f := function % 8; f >= 3 && f < 7 && err == nil && !slices.Equal(got, in[0]) {
			t.Errorf("function %d of %v: %v is not the shape of data", function%8, in, got)
		}
		for i := range in {
			if !slices.Equal(in[i], kept[i]) {
				t.Errorf("function %d changed %v to %v", function%8, kept[i], in[i])
			}
		}
	})
}

// dimsOf are dims made of bytes.
func dimsOf(made []byte) shape {
	s := make(shape, len(made))
	for i, b := range made {
		switch s[i] = int(b) - 1; {
		case b > 250:
			s[i] = 1 << (b % 32) * (math.MaxInt >> 32)
		case b > 7:
			s[i] = int(b % 8)
		}
	}
	return s
}
