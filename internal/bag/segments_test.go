package bag

import (
	"bytes"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/gather/internal/simd"
)

// TestSegments compares reductions of segments of rows with sums, products and extremes
// made number by number, in one piece and in many: segments longer than a piece, empty ones
// before, between and behind, NaN and zeros of both signs, and the last row at the end of
// memory that can be read. What empty segments have is a number, 0, -0, or where the
// reduction starts.
func TestSegments(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	for _, n := range []int{0, 1, 2, 300, 30000} {
		for _, segments := range []int{1, 7, n/30 + 1, n/2 + 1, 3*n + 1} {
			for _, inner := range []int{1, 2, 3, 5, 20} {
				if n > 300 && inner != 1 && inner != 3 && slow() {
					continue
				}
				ids := make([]int64, n)
				for i := range ids {
					ids[i] = rng.Int63n(int64(segments))
				}
				slices.Sort(ids)
				name := fmt.Sprintf("%d rows of %d, %d segments", n, inner, segments)
				float := func() float64 { return special(rng) }
				testSegments(t, name, num.Float32, ids, segments, inner, func() float32 { return float32(float()) }, 77, 0, float32(math.Copysign(0, -1)), 1, float32(math.Inf(-1)))
				testSegments(t, name, num.Float64, ids, segments, inner, float, 77, 0, math.Copysign(0, -1))
				testSegments(t, name, num.Int8, ids, segments, inner, func() int8 { return int8(rng.Int()) }, 77, 0, math.MinInt8)
				testSegments(t, name, num.Uint64, ids, segments, inner, rng.Uint64, 77, 0, math.MaxUint64)
			}
		}
	}
}

// TestOneRowEach: a few segments of long rows, each of one row, are copied; those of as many rows, but not one each, are not.
func TestOneRowEach(t *testing.T) {
	rng := rand.New(rand.NewSource(6))
	for _, ids := range [][]int64{{0}, {0, 1}, {0, 0}, {1, 1}, {0, 1, 2}, {0, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7, 8}} {
		for _, inner := range []int{255, 256, 1100} {
			name := fmt.Sprintf("rows of %d in segments %d", inner, ids)
			float := func() float64 { return special(rng) }
			testSegments(t, name, num.Float32, ids, len(ids), inner, func() float32 { return float32(float()) }, 77, float32(math.Copysign(0, -1)), float32(math.Inf(-1)))
			testSegments(t, name, num.Float64, ids, len(ids), inner, float, 77, math.Copysign(0, -1))
			testSegments(t, name, num.Uint64, ids, len(ids), inner, rng.Uint64, 77, 0, math.MaxUint64)
		}
	}
}

// special is a number, now and then a zero of either sign, and seldom NaN.
func special(rng *rand.Rand) float64 {
	switch rng.Intn(5000) {
	case 0:
		return math.NaN()
	case 1, 2:
		return 0
	case 3, 4:
		return math.Copysign(0, -1)
	}
	return float64(rng.Intn(2000)-1000) / 64
}

func testSegments[T num.Real](t *testing.T, name string, kind num.Kind, ids []int64, segments, inner int, draw func() T, empties ...T) {
	t.Helper()
	x, short := make([]T, len(ids)*inner), make([]int32, len(ids))
	for i := range x {
		x[i] = draw()
	}
	for i, id := range ids {
		short[i] = int32(id)
	}
	table := memtest.Paged(t, len(x)*kind.Width(), true)
	copy(table, num.Bytes(x))
	for k, r := range []num.Reduction{num.Add, num.Mul, num.Min, num.Max, num.Mean} {
		if r == num.Mean && kind.IsInteger() {
			continue // TestBagsOfOtherKinds has them
		}
		empty := empties[(k+len(ids)+segments)%len(empties)]
		got, want, counts := make([]T, segments*inner), make([]T, segments*inner), make([]int, segments)
		for i, s := range ids {
			counts[s]++
			for c := range inner {
				combineOne(r, &want[int(s)*inner+c], x[i*inner+c], counts[s])
			}
		}
		for i := range want {
			switch count := counts[i/inner]; {
			case count == 0:
				want[i] = empty
			case r == num.Mean:
				want[i] /= T(count)
			}
		}
		d := Description{
			Kind: kind, Reduction: r, Table: table, Rows: len(ids), Inner: inner, Default: -1, Empty: num.Bytes([]T{empty}),
			Borders: Borders{Bags: segments, Segments: num.Bytes(ids)},
		}
		if empty == 0 && 1/float64(empty) > 0 && len(ids)%2 == 0 {
			d.Empty = nil
		}
		for _, d.Short = range []bool{false, true} {
			if d.Short {
				d.Segments = num.Bytes(short)
			}
			if len(ids) == 0 {
				d.Segments = []byte{}
			}
			for pair, impl := range slices.Concat(simd.Implementations, simd.Implementations) {
				cores := []int{1, 4}[pair/len(simd.Implementations)]
				oneImplementation, someCores := simd.Use(impl), par.UseCores(cores)
				clear(got)
				d.Reduce(num.Bytes(got))
				oneImplementation()
				someCores()
				if bytes.Equal(num.Bytes(got), num.Bytes(want)) {
					continue
				}
				for i := range got {
					if got[i] != want[i] && (got[i] == got[i] || want[i] == want[i]) || 1/float64(got[i]) != 1/float64(want[i]) && got[i] == 0 {
						t.Fatalf("%s: %s, %d cores, of %T, %v, empty ones %v: element %d is %v, want %v", impl.Name, name, cores, x[0], r, empty, i, got[i], want[i])
					}
				}
			}
		}
	}
}

// combineOne combines a number with a result that has count numbers then.
func combineOne[T num.Real](r num.Reduction, to *T, x T, count int) {
	switch {
	case count == 1 && (r == num.Add || r == num.Mean):
		*to = 0 + x
	case count == 1:
		*to = x
	case r == num.Mul:
		*to *= x
	case r == num.Min:
		*to = min(*to, x)
	case r == num.Max:
		*to = max(*to, x)
	default:
		*to += x
	}
}

// TestOverflows has numbers that no sum overflows, and one at each place that lets it: the means of
// the others are made of sums, which takes a third of the time.
func TestOverflows(t *testing.T) {
	for n := 1; n <= 13; n++ {
		numbers := make([]int64, n)
		for i := range numbers {
			numbers[i] = int64(1000 * (i%3 - 1))
		}
		exact := func() bool {
			d := Description{Kind: num.Int64, Reduction: num.Mean, Table: num.Bytes(numbers), Rows: n, Inner: 1, Default: -1, Borders: Borders{Bags: 1, PerBag: n}}
			j := d.begin(nil, nil, nil)
			defer j.end()
			j.out = make([]byte, 8)
			j.reduceMeans(j.n)
			return j.exact
		}
		if exact() {
			t.Errorf("sums of %d have no fast way", numbers)
		}
		for i, x := range numbers {
			for _, large := range []int64{math.MaxInt64, math.MinInt64} {
				if numbers[i] = large; !exact() {
					t.Errorf("sums of %d do not overflow", numbers)
				}
			}
			numbers[i] = x
		}
	}
}

// TestPayloads has NaNs whose payloads differ: which of them stays, or what becomes of two, is the
// same in Go and in assembly.
func TestPayloads(t *testing.T) {
	rng := rand.New(rand.NewSource(6))
	for _, inner := range []int{1, 3, 5, 20, 41} {
		for _, perSegment := range []int{1, 2, 4, 7, 20} {
			ids, bits := make([]int64, 600), make([]uint32, 600*inner)
			for p := range ids {
				ids[p] = int64(p / perSegment)
			}
			for i := range bits {
				if bits[i] = rng.Uint32(); rng.Intn(2) == 0 {
					bits[i] |= 0x7f800000
				}
			}
			segments := int(ids[len(ids)-1]) + 1
			for _, r := range []num.Reduction{num.Min, num.Max} {
				d := Description{
					Kind: num.Float32, Reduction: r, Table: num.Bytes(bits), Rows: len(ids), Inner: inner, Default: -1,
					Borders: Borders{Bags: segments, Segments: num.Bytes(ids)},
				}
				var results [][]uint32
				for _, impl := range simd.Implementations {
					restore := simd.Use(impl)
					results = append(results, make([]uint32, segments*inner))
					d.Reduce(num.Bytes(results[len(results)-1]))
					restore()
				}
				for i, impl := range simd.Implementations {
					if !slices.Equal(results[i], results[0]) && !race.Enabled {
						t.Errorf("%s: %v of %d rows of %d numbers have other bits than in Go", impl.Name, r, perSegment, inner)
					}
				}
			}
		}
	}
}

// TestPayloadsOfSums has bags of two NaNs each, so many that rows are combined in memory: the first one's payload stays.
func TestPayloadsOfSums(t *testing.T) {
	const bags = 64 << 10
	offsets, idx, rows := make([]int64, bags), make([]int64, 2*bags), []uint32{0x7fc00001, 0x7fc00002}
	for p := range idx {
		offsets[p/2], idx[p] = int64(p-p%2), int64(p%2)
	}
	for _, impl := range simd.Implementations {
		restore, out := simd.Use(impl), make([]uint32, bags)
		(&Description{
			Kind: num.Float32, Reduction: num.Add, Table: num.Bytes(rows), Rows: len(rows), Inner: 1, Idx: num.Bytes(idx), Default: -1,
			Borders: Borders{Bags: bags, Offsets: num.Bytes(offsets)},
		}).Reduce(num.Bytes(out))
		restore()
		if other := slices.IndexFunc(out, func(x uint32) bool { return x != 0x7fc00001 }); other >= 0 && !race.Enabled {
			t.Errorf("%s: the sum of bag %d is %#x", impl.Name, other, out[other])
		}
	}
}

// TestOverflowBehindNoBag has large numbers in the last bag, of positions of which the first are in no bag: what is asked
// whether sums may overflow is the numbers of bags, in tables much larger than they are.
func TestOverflowBehindNoBag(t *testing.T) {
	for _, inner := range []int{1, 3, 7, 8, 20} {
		table := make([]int64, 200*inner)
		for i := range table {
			table[i] = int64(i % 7)
		}
		for c := range inner {
			table[150*inner+c], table[151*inner+c] = math.MaxInt64, math.MaxInt64-2
		}
		idx := []int64{150, 151, 1, 2, 3, 4, 5, 6, 7, 8, 150, -49}
		d := Description{
			Kind: num.Int64, Reduction: num.Mean, Table: num.Bytes(table), Rows: 200, Inner: inner, Idx: num.Bytes(idx), Default: -1,
			Borders: Borders{Bags: 2, Offsets: num.Bytes([]int64{4, 10})},
		}
		out := make([]int64, 2*inner)
		if bad := d.Reduce(num.Bytes(out)); bad >= 0 {
			t.Fatalf("index %d is bad", bad)
		}
		for c, got := range out[inner:] {
			if got != math.MaxInt64-1 {
				t.Errorf("%d columns: the mean of column %d is %d, want %d", inner, c, got, int64(math.MaxInt64-1))
			}
		}
	}
}
