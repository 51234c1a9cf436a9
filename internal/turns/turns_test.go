package turns

import "testing"

// TestOf: every combination has its turn, one at a time, and each time with -everypair.
func TestOf(t *testing.T) {
	defer func(before bool) { *every = before }(*every)
	for _, *every = range []bool{false, true} {
		for number := range 12 {
			turns := 0
			for i := range 3 {
				if Of(3, i, number) {
					turns++
					if !Every() && i != number%3 {
						t.Errorf("case %d runs combination %d", number, i)
					}
				}
			}
			if want := map[bool]int{false: 1, true: 3}[Every()]; turns != want {
				t.Errorf("case %d runs %d combinations, want %d", number, turns, want)
			}
		}
	}
}

// TestCase: one case of three is run with -short alone.
func TestCase(t *testing.T) {
	defer func(before bool) { *every = before }(*every)
	for _, *every = range []bool{false, true} {
		for number := range 6 {
			want := Every() || !testing.Short() || number == 0 || number == 3
			if Case(3, number) != want {
				t.Errorf("case %d, -everypair %v, -short %v: run %v", number, Every(), testing.Short(), !want)
			}
		}
	}
}
