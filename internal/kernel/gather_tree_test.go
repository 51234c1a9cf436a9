package kernel

import "testing"

// TestTreeOfChangedParents: if the parent that was bad is good when it is looked for, as
// another goroutine has changed it, there is a position all the same, and no success.
func TestTreeOfChangedParents(t *testing.T) {
	r := treeRun[int32]{
		Tree: Tree{Time: 3, Batch: 2, Beam: 2}, number: integral[int32], whole: true,
		parents: []int32{0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1}, lengths: []int32{3, 0},
	}
	for b, want := range []int{5, 0} {
		if position, parent := r.firstBad(b); position != want || parent != 0 {
			t.Errorf("sequence %d: position %d, parent %d, want %d and 0", b, position, parent, want)
		}
	}
}
