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
	num.Int8: exactMean[int8], num.Int16: exactMean[int16], num.Int32: exactMean[int32], num.Int64: exactMean[int64],
	num.Uint8: exactMean[uint8], num.Uint16: exactMean[uint16], num.Uint32: exactMean[uint32], num.Uint64: exactMean[uint64],
}

func exactMean[T num.Integer](s *Scatter) func(*tile) {
	data, updates, out := num.As[T](s.Data), num.As[T](s.Updates), num.As[T](s.Out)
	return func(t *tile) {
		x := into(t, out, data, 0)
		sums, updates := scratchFor[num.Wide](t, 1), updatesOf(t, updates, 5)
		clear(sums)
		if !s.NoInit {
			num.AddWide(sums, x)
		}
		t.forwards(func(at []int64, base, item int) {
			sums, w := sums[base:], updates[item:][:len(at)]
			for i, a := range at {
				num.AddWide(sums[a:][:1], w[i:i+1])
			}
		})
		width := t.width()
		for j, n := range t.count(0) {
			for i := j * width; n > 0 && i < (j+1)*width; i++ {
				x[i] = num.MeanOf[T](sums[i], n+s.old())
			}
		}
		store(t, out, x)
	}
}

// MeanOfSums is what is left to do for the means of other kinds: to divide what is
// in Grad, in which targets are sums, by how many terms each has. In Out, which may
// be the same memory.
func (s *Scatter) MeanOfSums() int {
	s.copyRest(s.Grad)
	// What is no target stays as it is.
	return s.run(false, gradients[s.Kind].divideByCount(s, 1+s.old()))
}
