package onnx

import (
	"encoding/binary"
	"math"

	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/tensor"
)

// rangeOf is start, start + delta, …, as long as it lies before limit.
func rangeOf(c *opset.Call, n Node, inputs []*binding) (knownValue, error) {
	dt := inputs[0].dtype()
	if given, ok := n.Attributes["stash_type"]; ok {
		stash, err := integer(c, "stash_type", given)
		if err != nil {
			return knownValue{}, err
		}
		if half := dt == dense.Float16 || dt == dense.BFloat16; half && stash != 1 {
			return knownValue{}, fault.Errorf(dense.ErrOption, "stash_type is %d, 1 (float) is supported", stash)
		}
	}
	var ends [3]*tensor.Dense
	for i, name := range []string{"start", "limit", "delta"} {
		v := inputs[i]
		switch {
		case v.known == nil:
			return knownValue{}, errNotKnown(v)
		case v.dtype() != dt:
			return knownValue{}, fault.Errorf(dense.ErrDtype, "%s of type %s, start is of type %s", name, dtypeName(v.dtype()), dtypeName(dt))
		case v.shape().TotalSize() != 1 && len(v.shape()) > 0:
			return knownValue{}, fault.Errorf(dense.ErrShape, "%s of shape %s, a scalar is allowed", name, fault.Shape(v.shape()))
		}
		v.folded = true
		ends[i] = v.known
	}
	switch dt {
	case tensor.Float32:
		return realRange[float32](dt, ends)
	case tensor.Float64:
		return realRange[float64](dt, ends)
	case dense.Float16:
		return halfRange(dt, ends, func(bits uint16) float32 { return float16.Frombits(bits).Float32() },
			func(x float32) uint16 { return float16.Fromfloat32(x).Bits() })
	case dense.BFloat16:
		return halfRange(dt, ends, num.BFloat16To32, num.BFloat16From32)
	case tensor.Int16:
		return integerRange[int16](dt, ends)
	case tensor.Int32:
		return integerRange[int32](dt, ends)
	case tensor.Int64:
		return integerRange[int64](dt, ends)
	}
	return knownValue{}, fault.Errorf(dense.ErrDtype, "a range of %s is not supported", dtypeName(dt))
}

// halfRange is computed in float, and each number rounded once.
func halfRange(dt tensor.Dtype, ends [3]*tensor.Dense, wide func(uint16) float32, narrow func(float32) uint16) (knownValue, error) {
	var floats [3]*tensor.Dense
	for i, d := range ends {
		floats[i] = tensor.New(tensor.FromScalar(wide(binary.NativeEndian.Uint16(d.Uint8s()))))
	}
	v, err := realRange[float32](tensor.Float32, floats)
	if err != nil {
		return v, err
	}
	fill := v.fill
	v.dtype, v.fill = dt, func(d *tensor.Dense) {
		list := tensor.NewDense(tensor.Float32, d.Shape().Clone())
		fill(list)
		if n := v.shape[0]; n > 0 {
			for i, x := range list.Float32s()[:n] {
				binary.NativeEndian.PutUint16(d.Uint8s()[2*i:], narrow(x))
			}
		}
	}
	return v, nil
}

// badRange is the error for a range of n elements, which has no end if delta is 0.
func badRange[T int64 | float32 | float64](start, limit, delta T, n any) error {
	if delta == 0 {
		return fault.Errorf(dense.ErrOption, "delta is 0, another number is needed")
	}
	return fault.Errorf(dense.ErrOption, "from %v to %v by %v are %v elements, at most %d are allowed", start, limit, delta, n, math.MaxInt32)
}

func realRange[T float32 | float64](dt tensor.Dtype, ends [3]*tensor.Dense) (knownValue, error) {
	start, limit, delta := first[T](ends[0]), first[T](ends[1]), first[T](ends[2])
	n := math.Ceil((float64(limit) - float64(start)) / float64(delta))
	if delta == 0 || n != n || n > math.MaxInt32 {
		return knownValue{}, badRange(start, limit, delta, n)
	}
	return knownValue{dt, tensor.Shape{max(int(n), 0)}, func(d *tensor.Dense) {
		for i, list := 0, slice[T](d); i < len(list); i++ {
			list[i] = start + T(i)*delta
		}
	}}, nil
}

func integerRange[T int16 | int32 | int64](dt tensor.Dtype, ends [3]*tensor.Dense) (knownValue, error) {
	start, limit, delta := int64(first[T](ends[0])), int64(first[T](ends[1])), int64(first[T](ends[2]))
	// Unsigned: the distance of two int64 may be more than an int64 holds.
	distance, step := uint64(limit)-uint64(start), uint64(delta)
	if delta < 0 {
		distance, step = uint64(start)-uint64(limit), -uint64(delta)
	}
	n := uint64(0)
	if delta > 0 && limit > start || delta < 0 && limit < start {
		n = (distance-1)/step + 1
	}
	if delta == 0 || n > math.MaxInt32 {
		return knownValue{}, badRange(start, limit, delta, n)
	}
	return knownValue{dt, tensor.Shape{int(n)}, func(d *tensor.Dense) {
		for i, list := 0, slice[T](d); i < len(list); i++ {
			list[i] = T(start + int64(i)*delta)
		}
	}}, nil
}

// slice is the elements of a tensor of numbers that follow each other.
func slice[T float32 | float64 | int16 | int32 | int64](d *tensor.Dense) []T {
	var list any
	switch any(*new(T)).(type) {
	case float32:
		list = d.Float32s()
	case float64:
		list = d.Float64s()
	case int16:
		list = d.Int16s()
	case int32:
		list = d.Int32s()
	case int64:
		list = d.Int64s()
	}
	return list.([]T)
}

func first[T float32 | float64 | int16 | int32 | int64](d *tensor.Dense) T { return slice[T](d)[0] }
