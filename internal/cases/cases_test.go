package cases

import (
	"math/rand"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/oracle"
)

// read is the type of indices that holds every index.
func read(index int64) int64 { return index }

// TestTargets has the elements that updates go to, counted by hand.
func TestTargets(t *testing.T) {
	for _, c := range []struct {
		Scatter
		targets []int
		repeats bool
	}{
		{Scatter{Op: "ScatterElements", Axis: -2, Data: []int{3, 4}, Indices: oracle.From([]int64{2, 0, -1, 0}, 2, 2), Updates: []int{2, 2}}, []int{8, 1, 8, 1}, true},
		{Scatter{Op: "ScatterElements", Axis: 1, Data: []int{3, 4}, Indices: oracle.From([]int64{2, 0, -1, 0}, 2, 2), Updates: []int{2, 2}}, []int{2, 0, 7, 4}, false},
		{Scatter{Op: "ScatterND", Data: []int{3, 4}, Indices: oracle.From([]int64{2, -1, 0, 1}, 2, 2), Updates: []int{2}}, []int{11, 1}, false},
		{Scatter{Op: "ScatterND", Data: []int{3, 2}, Indices: oracle.From([]int64{2, -1}, 2, 1), Updates: []int{2, 2}}, []int{4, 5, 4, 5}, true},
		{Scatter{Op: "ScatterUpdate", Axis: 1, Data: []int{2, 3}, Indices: oracle.From([]int64{-1, 0}, 2), Updates: []int{2, 2}}, []int{2, 0, 5, 3}, false},
	} {
		targets, bad := c.Targets()
		if bad != nil || !slices.Equal(targets, c.targets) || c.Repeats() != c.repeats {
			t.Errorf("%v: %v, %v, repeats %v; want %v, repeats %v", c.Scatter, targets, bad, c.Repeats(), c.targets, c.repeats)
		}
		c.Indices.Data[1] = 9
		if _, bad := c.Targets(); bad == nil || bad.Index != 9 || bad.Axis != c.Addressed(bad.Position) {
			t.Errorf("%v: error %v for the index 9", c.Scatter, bad)
		}
	}
}

// TestGradients follows numbers by hand: what an update has overwritten has no
// gradient, and of two updates of one element the last one has it all.
func TestGradients(t *testing.T) {
	c := Scatter{Op: "ScatterND", Data: []int{3}, Indices: oracle.From([]int64{2, 0, 2}, 3, 1), Updates: []int{3}}
	arith := oracle.Floats[float64]()
	data, updates, grad := []float64{1, 2, 3}, []float64{10, 20, 30}, []float64{5, 6, 7}
	if out, _ := Scattered(c, data, updates, arith); !slices.Equal(out, []float64{20, 2, 30}) {
		t.Errorf("result %v", out)
	}
	ofData, ofUpdates := Gradients(c, grad, data, updates, arith)
	if !slices.Equal(ofData, []float64{0, 6, 0}) || !slices.Equal(ofUpdates, []float64{0, 5, 7}) {
		t.Errorf("gradients %v and %v", ofData, ofUpdates)
	}
}

// TestSources draws calls of bytes alone, of bytes that end, and of random numbers.
func TestSources(t *testing.T) {
	draw := func(s Source) Scatter {
		c := s.Scatter("ScatterND")
		c.Fill(&s, read)
		return c
	}
	first := draw(Source{})
	if first.String() != draw(Source{Bytes: []byte{0, 0, 0}}).String() {
		t.Errorf("without bytes, not every choice is the first: %v", first)
	}
	random := Random(rand.New(rand.NewSource(1)))
	if again := draw(random); again.String() != draw(random).String() || again.String() == first.String() {
		t.Errorf("the same bytes make %v and %v", again, draw(random))
	}
	rng := rand.New(rand.NewSource(1))
	seen := map[string]bool{}
	for range 20 {
		seen[draw(Source{Rest: rng}).String()] = true
	}
	if len(seen) < 15 {
		t.Errorf("20 calls of random numbers are %d different ones", len(seen))
	}
}

// TestLimits draws calls from small dims and of few, with wide rows now and then.
func TestLimits(t *testing.T) {
	s := Source{Rest: rand.New(rand.NewSource(2)), MaxRank: 2, Sizes: []int{2, 3, 4}, Wide: true}
	wide, ranks := 0, map[int]int{}
	for range 800 {
		data := s.Scatter("ScatterElements").Data
		ranks[len(data)]++
		if last := data[len(data)-1]; last >= 32 && last < 92 {
			wide++
			data = data[:len(data)-1]
		}
		for _, n := range data {
			if n < 2 || n > 4 {
				t.Fatalf("a dim of %d", n)
			}
		}
	}
	if wide < 20 || wide > 100 || ranks[1] < 200 || ranks[2] < 200 || len(ranks) != 2 {
		t.Errorf("%d of 800 calls are wide, ranks %v", wide, ranks)
	}
	for range 800 {
		if shape := (&Source{Rest: s.Rest}).Data(4); shape[0]*shape[1]*shape[2]*shape[3] > maxData {
			t.Fatalf("data %v has more than %d elements", shape, maxData)
		}
	}
}

// TestIndices draws every kind of index, in and out of range.
func TestIndices(t *testing.T) {
	s := Source{Rest: rand.New(rand.NewSource(3))}
	good, bad, negative, padded := 0, 0, 0, 0
	for i := range 2000 {
		c := s.Scatter(ScatterOps[i%len(ScatterOps)])
		c.Fill(&s, read)
		_, wrong := c.Targets()
		if c.Rule.Padded && slices.Contains(c.Indices.Data, c.Rule.ID) {
			padded++
		}
		switch {
		case wrong != nil:
			bad++
		case len(c.Indices.Data) > 0:
			good++
			if slices.Min(c.Indices.Data) < 0 {
				negative++
			}
		}
	}
	if good < 800 || bad < 150 || negative < 400 || padded < 200 {
		t.Errorf("of 2000 calls %d are right, %d of them with negative indices, %d wrong, and %d have padding", good, negative, bad, padded)
	}
}

// TestGathers has results and sums that are counted by hand, and shapes.
func TestGathers(t *testing.T) {
	add := func(a, b int) int { return a + b }
	for _, c := range []struct {
		Gather
		data, out, sums []int // sums are those of updates 1, 10, 100, … into zeros
		result          []int
	}{
		{Gather{Op: "Gather", Axis: -1, Data: []int{2, 3}, Indices: oracle.From([]int64{-1, -1}, 2)}, []int{0, 1, 2, 3, 4, 5},
			[]int{2, 2, 5, 5}, []int{0, 0, 11, 0, 0, 1100}, []int{2, 2}},
		{Gather{Op: "Gather", Axis: 1, BatchDims: 1, Data: []int{2, 3}, Indices: oracle.From([]int64{2, 0}, 2, 1)}, []int{0, 1, 2, 3, 4, 5},
			[]int{2, 3}, []int{0, 0, 1, 10, 0, 0}, []int{2, 1}},
		{Gather{Op: "GatherElements", Data: []int{3}, Indices: oracle.From([]int64{2, 0, 2}, 3)}, []int{7, 8, 9},
			[]int{9, 7, 9}, []int{10, 0, 101}, []int{3}},
		{Gather{Op: "GatherND", BatchDims: 2, Fused: true, Data: []int{2, 1, 2}, Indices: oracle.From([]int64{1, 0}, 2, 1, 1)}, []int{7, 8, 9, 6},
			[]int{8, 9}, []int{0, 1, 10, 0}, []int{2}},
	} {
		out, bad := Gathered(c.Gather, c.data)
		if bad != nil || !slices.Equal(out.Data, c.out) || !slices.Equal(c.Result(), c.result) {
			t.Errorf("%+v: %v, %v of shape %v, want %v of shape %v", c.Gather, out.Data, bad, c.Result(), c.out, c.result)
		}
		updates, power := make([]int, len(c.out)), 1
		for i := range updates {
			updates[i], power = power, 10*power
		}
		if sums, bad := Added(c.Gather, make([]int, len(c.data)), updates, add); bad != nil || !slices.Equal(sums, c.sums) {
			t.Errorf("%+v: sums %v, %v, want %v", c.Gather, sums, bad, c.sums)
		}
		c.Indices.Data[0] = 9
		_, bad = Gathered(c.Gather, c.data)
		_, worse := Added(c.Gather, make([]int, len(c.data)), updates, add)
		if bad == nil || worse == nil || bad.Index != 9 || worse.Index != 9 || bad.Axis != c.Addressed(bad.Position) {
			t.Errorf("%+v: errors %v and %v for the index 9", c.Gather, bad, worse)
		}
	}
}
