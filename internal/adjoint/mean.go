package adjoint

import "gorgonia.org/gather/internal/num"

// IntMean replaces every target in Out, which begins as Data, by the mean of its
// updates and, without NoInit, of its old value, rounded toward minus infinity. It
// returns the position of the first bad index, or -1.
func (s *Scatter) IntMean() int {
	s.copyRest(s.Data)
	return s.run(false, intMeans[s.Kind](s))
}

var intMeans = [num.Kinds]func(s *Scatter) func(*tile){
	num.Int8:   exactMean(divmodInt[int8]),
	num.Int16:  exactMean(divmodInt[int16]),
	num.Int32:  exactMean(divmodInt[int32]),
	num.Int64:  exactMean(divmodInt[int64]),
	num.Uint8:  exactMean(divmodUint[uint8]),
	num.Uint16: exactMean(divmodUint[uint16]),
	num.Uint32: exactMean(divmodUint[uint32]),
	num.Uint64: exactMean(divmodUint[uint64]),
}

// exactMean divides before it adds: the mean of n values is the sum of their
// quotients by n, and a carry for each n that their remainders add up to. So it
// needs no type wider than the values, whose sum may be far out of range. If quotients
// leave the range on the way, they wrap around and return.
func exactMean[T num.Real](divmod func(v T, n uint64) (quo T, rem uint64)) func(s *Scatter) func(*tile) {
	return func(s *Scatter) func(*tile) {
		data, updates, out := num.As[T](s.Data), num.As[T](s.Updates), num.As[T](s.Out)
		return func(t *tile) {
			x := into(t, out, data, 0)
			rests, updates := scratchFor[uint64](t, 1), updatesOf(t, updates, 5)
			counts, width, perElement := t.count(0), t.width(), !t.lineByLine
			for j, n := range counts {
				for i := j * width; n > 0 && i < (j+1)*width; i++ {
					if s.NoInit {
						x[i], rests[i] = 0, 0
					} else {
						x[i], rests[i] = divmod(x[i], uint64(n+1))
					}
				}
				counts[j] += s.old()
			}
			t.forwards(func(at []int64, base, item int) {
				x, rests, w := x[base:], rests[base:], updates[item:][:len(at)]
				n := uint64(counts[base/width])
				for i, a := range at {
					if perElement {
						n = uint64(counts[a])
					}
					quo, rem := divmod(w[i], n)
					x[a] += quo
					if rests[a] += rem; rests[a] >= n {
						rests[a] -= n
						x[a]++
					}
				}
			})
			store(t, out, x)
		}
	}
}

func divmodInt[T int8 | int16 | int32 | int64](v T, n uint64) (T, uint64) {
	quo, rem := int64(v)/int64(n), int64(v)%int64(n)
	if rem < 0 { // Go rounds toward zero
		quo, rem = quo-1, rem+int64(n)
	}
	return T(quo), uint64(rem)
}

func divmodUint[T uint8 | uint16 | uint32 | uint64](v T, n uint64) (T, uint64) {
	return T(uint64(v) / n), uint64(v) % n
}

// MeanOfSums is what is left to do for the means of other kinds: to divide what is
// in Grad, in which targets are sums, by how many terms each has. In Out, which may
// be the same memory.
func (s *Scatter) MeanOfSums() int {
	s.copyRest(s.Grad)
	// What is no target stays as it is.
	return s.run(false, gradients[s.Kind].divided(s, 1+s.old()))
}
