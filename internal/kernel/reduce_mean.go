package kernel

import "gorgonia.org/gather/internal/num"

// Mean replaces every element of data that is a target by the mean of its
// updates and, if init is set, of its old value. Data and updates are packed;
// targets gives the place in data of each update. The sum is made in row-major
// order of the updates, and a mean of integers is rounded toward minus
// infinity.
func Mean(kind num.Kind, data, updates []byte, targets []int, init bool) {
	switch kind {
	case num.Int8:
		meanInt[int8](data, updates, targets, init)
	case num.Int16:
		meanInt[int16](data, updates, targets, init)
	case num.Int32:
		meanInt[int32](data, updates, targets, init)
	case num.Int64:
		meanInt[int64](data, updates, targets, init)
	case num.Uint8:
		meanUint[uint8](data, updates, targets, init)
	case num.Uint16:
		meanUint[uint16](data, updates, targets, init)
	case num.Uint32:
		meanUint[uint32](data, updates, targets, init)
	case num.Uint64:
		meanUint[uint64](data, updates, targets, init)
	case num.Float16:
		mean16(data, updates, targets, init, float16To32, float16From32)
	case num.BFloat16:
		mean16(data, updates, targets, init, bfloat16To32, bfloat16From32)
	case num.Float32:
		mean(data, updates, targets, init, combine[add, float32], func(sum float32, n int) float32 { return sum / float32(n) })
	case num.Float64:
		mean(data, updates, targets, init, combine[add, float64], func(sum float64, n int) float64 { return sum / float64(n) })
	case num.Complex64:
		mean(data, updates, targets, init,
			func(a, b complex64) complex64 { return a + b },
			func(sum complex64, n int) complex64 { return sum / complex(float32(n), 0) })
	case num.Complex128:
		mean(data, updates, targets, init,
			func(a, b complex128) complex128 { return a + b },
			func(sum complex128, n int) complex128 { return sum / complex(float64(n), 0) })
	}
}

func mean16(data, updates []byte, targets []int, init bool, to func(uint16) float32, from func(float32) uint16) {
	mean(data, updates, targets, init,
		inFloat32(to, from, combine[add, float32]),
		func(sum uint16, n int) uint16 { return from(to(sum) / float32(n)) })
}

// mean sums in the element type itself, then divides.
func mean[T any](data, updates []byte, targets []int, init bool, add func(a, b T) T, divide func(sum T, n int) T) {
	x, w := num.As[T](data), num.As[T](updates)
	counts := Counts(len(x), targets)
	if !init {
		var zero T
		for _, t := range targets {
			x[t] = zero
		}
	}
	for p, t := range targets {
		x[t] = add(x[t], w[p])
	}
	for t, n := range counts {
		if n > 0 {
			if init {
				n++
			}
			x[t] = divide(x[t], n)
		}
	}
}

// Counts is the number of updates of each of n places in data.
func Counts(n int, targets []int) []int {
	counts := make([]int, n)
	for _, t := range targets {
		counts[t]++
	}
	return counts
}

func meanInt[T int8 | int16 | int32 | int64](data, updates []byte, targets []int, init bool) {
	exactMean(data, updates, targets, init, func(v T, n uint64) (T, uint64) {
		quo, rem := int64(v)/int64(n), int64(v)%int64(n)
		if rem < 0 { // Go rounds toward zero
			quo, rem = quo-1, rem+int64(n)
		}
		return T(quo), uint64(rem)
	})
}

func meanUint[T uint8 | uint16 | uint32 | uint64](data, updates []byte, targets []int, init bool) {
	exactMean(data, updates, targets, init, func(v T, n uint64) (T, uint64) {
		return T(uint64(v) / n), uint64(v) % n
	})
}

// exactMean divides before it adds: the mean of n values is the sum of their
// quotients by n, and a carry for each n that their remainders add up to. So it
// needs no type wider than the values, whose sum may be far out of range. What
// the quotients exceed the range by on the way, wrapping brings back.
func exactMean[T num.Real](data, updates []byte, targets []int, init bool, divmod func(v T, n uint64) (quo T, rem uint64)) {
	x, w := num.As[T](data), num.As[T](updates)
	counts := Counts(len(x), targets)
	rests := make([]uint64, len(x))
	for t, n := range counts {
		switch {
		case n > 0 && init:
			counts[t]++
			x[t], rests[t] = divmod(x[t], uint64(n+1))
		case n > 0:
			x[t] = 0
		}
	}
	for p, t := range targets {
		n := uint64(counts[t])
		quo, rem := divmod(w[p], n)
		x[t] += quo
		if rests[t] += rem; rests[t] >= n {
			rests[t] -= n
			x[t]++
		}
	}
}
