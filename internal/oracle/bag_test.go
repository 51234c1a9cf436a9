package oracle

import (
	"math"
	"reflect"
	"testing"
)

// TestBags has the examples of OpenVINO's pages: the table of 5 rows and the bags of
// EmbeddingBagOffsetsSum-3, EmbeddingBagPackedSum-3 and EmbeddingSegmentsSum-3.
func TestBags(t *testing.T) {
	table := From([]float64{-0.2, -0.6, -0.1, -0.4, -1.9, -1.8, -1, 1.5, 0.8, -0.7}, 5, 2)
	weights := []float64{0.5, 0.5, 0.5, 0.5}
	list := From([]int64{0, 2, 3, 4}, 4)
	for name, c := range map[string]struct {
		indices Array[int64]
		bags    [][]int
		weights []float64
		rule    BagRule
		want    []float64
	}{
		"offsets, an empty bag is row 0": {list, OffsetBags(4, []int64{0, 2, 2}), weights, BagRule{Reduction: Add, Default: 0}, []float64{-1.05, -1.2, -0.2, -0.6, -0.1, 0.4}},
		"segments":                       {list, SegmentBags([]int64{0, 0, 2, 2}, 3), weights, BagRule{Reduction: Add, Default: 0}, []float64{-1.05, -1.2, -0.2, -0.6, -0.1, 0.4}},
		"packed":                         {From([]int64{0, 2, 1, 2, 3, 4}, 3, 2), PackedBags(3, 2), []float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, BagRule{Reduction: Add, Default: -1}, []float64{-1.05, -1.2, -1, -1.1, -0.1, 0.4}},
		"mean":                           {list, OffsetBags(4, []int64{0, 2, 2}), nil, BagRule{Reduction: Mean, Default: -1}, []float64{-1.05, -1.2, 0, 0, -0.1, 0.4}},
		"max":                            {list, OffsetBags(4, []int64{0, 2, 2}), nil, BagRule{Reduction: Max, Default: -1}, []float64{-0.2, -0.6, 0, 0, 0.8, 1.5}},
		"skipped":                        {From([]int64{0, 9, 3, 9}, 4), OffsetBags(4, []int64{0, 2}), nil, BagRule{Reduction: Mean, Default: -1, Policy: Policy{ZeroFill: true}}, []float64{-0.2, -0.6, -1, 1.5}},
	} {
		got, bad := Bag(table, c.indices, c.bags, c.weights, c.rule, Floats[float64]())
		if bad != nil {
			t.Fatalf("%s: %v", name, bad)
		}
		for i, x := range got.Data {
			if math.Abs(x-c.want[i]) > 1e-12 {
				t.Errorf("%s: %v, want %v", name, got.Data, c.want)
				break
			}
		}
	}
	_, bad := Bag(table, From([]int64{0, 5}, 2), OffsetBags(2, []int64{2}), nil, BagRule{Reduction: Add, Default: -1}, Floats[float64]())
	if want := (&BadIndex{Position: []int{1}, Index: 5, Size: 5}); !reflect.DeepEqual(bad, want) {
		t.Errorf("a bad index in no bag: %v, want %v", bad, want)
	}
}

// TestAddBag has one bag of two rows and an empty one whose default is row 2.
func TestAddBag(t *testing.T) {
	table := From([]float64{1, 5, 2, 5, 0, 0}, 3, 2)
	grad := From([]float64{10, 20, 100, 200}, 2, 2)
	for name, c := range map[string]struct {
		weights []float64
		rule    BagRule
		want    []float64
	}{
		"add":     {nil, BagRule{Reduction: Add, Default: 2}, []float64{10, 20, 10, 20, 100, 200}},
		"weights": {[]float64{2, 3}, BagRule{Reduction: Add, Default: 2}, []float64{20, 40, 30, 60, 100, 200}},
		"mean":    {nil, BagRule{Reduction: Mean, Default: 2}, []float64{5, 10, 5, 10, 100, 200}},
		"max":     {nil, BagRule{Reduction: Max, Default: 2}, []float64{0, 10, 10, 10, 100, 200}},
		"none":    {nil, BagRule{Reduction: Add, Default: -1}, []float64{10, 20, 10, 20, 0, 0}},
	} {
		got, bad := AddBag(New[float64](3, 2), grad, table, From([]int64{0, 1}, 2), OffsetBags(2, []int64{0, 2}), c.weights, c.rule, Floats[float64]())
		if bad != nil || !reflect.DeepEqual(got.Data, c.want) {
			t.Errorf("%s: %v, %v, want %v", name, got.Data, bad, c.want)
		}
	}
}
