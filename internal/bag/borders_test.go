package bag

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/num"
)

// TestEnds finds the end of each segment, of none, few and many ids, from its start and from positions behind it, and the
// ends of several together: of so few ids that all are read, and of so many that the ends are searched for.
func TestEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const segments = 60
	for _, most := range []int{2, 40, 5000} {
		var ids []int32
		var ends []int
		for segment := range int32(segments) {
			ids = append(ids, slices.Repeat([]int32{segment}, r.IntN(1+r.IntN(most)))...)
			ends = append(ends, len(ids))
		}
		ids = append(ids, segments) // another is behind them
		wide := make([]int64, len(ids))
		for p, id := range ids {
			wide[p] = int64(id)
		}
		for _, b := range []*Borders{
			{Bags: segments + 1, Segments: num.Bytes(ids), Short: true}, {Bags: segments + 1, Segments: num.Bytes(wide)},
		} {
			for segment, want := range ends {
				first := b.First(segment, len(ids))
				for from := first; from <= want; from += 1 + r.IntN(300) {
					if end := b.End(segment, from, len(ids)); end != want {
						t.Fatalf("segment %d from %d ends at %d, %d is right", segment, from, end, want)
					}
				}
				if end := b.End(segment, want, len(ids)); end != want {
					t.Fatalf("segment %d from its end ends at %d, %d is right", segment, end, want)
				}
				last := segment + r.IntN(segments-segment)
				to := make([]int64, last+1-segment)
				b.ends(to, segment, interval{first, ends[last]})
				for s, end := range to {
					if first+int(end) != ends[segment+s] {
						t.Fatalf("segment %d ends at %d, %d is right, of the %d from %d on", segment+s, first+int(end), ends[segment+s], len(to), segment)
					}
				}
			}
		}
	}
}
