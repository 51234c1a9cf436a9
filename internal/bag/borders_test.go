package bag

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestEndOf finds the end of each segment, of few ids and of many, from its start and from others before.
func TestEndOf(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var ids []int32
	for segment := range int32(60) {
		long := []int{1, 4, 20, 300, 5000}[r.IntN(5)]
		ids = append(ids, slices.Repeat([]int32{segment}, r.IntN(long+1))...)
	}
	for segment := range 60 {
		want, _ := slices.BinarySearch(ids, int32(segment)+1)
		for from := 0; from <= want; from += 1 + r.IntN(300) {
			if end := from + endOf(ids[from:], segment); end != want {
				t.Fatalf("segment %d from %d ends at %d, %d is right", segment, from, end, want)
			}
		}
		if end := want + endOf(ids[want:], segment); end != want {
			t.Fatalf("segment %d from its end ends at %d, %d is right", segment, end, want)
		}
	}
}
