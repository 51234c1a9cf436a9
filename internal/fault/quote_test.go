package fault

import (
	"fmt"
	"strings"
	"testing"

	"gorgonia.org/tensor"
)

// TestCall quotes names that are no plain words, and cuts long ones.
func TestCall(t *testing.T) {
	hostile := strings.Repeat("ä", 5_000_000)
	for _, c := range []struct {
		operands []string
		want     string
	}{
		{nil, "Gather"},
		{[]string{"items", "ids"}, "Gather(items, ids)"},
		{[]string{"items", "item ids"}, `Gather(items, "item ids")`},
		{[]string{"", "a\nb", "a,b", "Add(%0)", `say "x"`}, `Gather("", "a\nb", "a,b", "Add(%0)", "say \"x\"")`},
		{[]string{"Größe", "\xff", "\u202e"}, `Gather(Größe, "\xff", "\u202e")`},
		{[]string{hostile}, "Gather(" + strings.Repeat("ä", 40) + "…)"},
		{[]string{"a" + hostile}, "Gather(a" + strings.Repeat("ä", 39) + "…)"},
		{[]string{strings.Repeat("\xbf", 1000)}, "Gather(…)"},
	} {
		if got := Call("Gather", c.operands); got != c.want {
			t.Errorf("got %.300s, want %s", got, c.want)
		}
	}
}

// TestShape prints shapes as package tensor does, and cuts those of hostile rank.
func TestShape(t *testing.T) {
	for _, s := range []tensor.Shape{{}, {0}, {7}, {2, 3}, {-1, 4, 5}, make(tensor.Shape, most)} {
		if got, want := Shape(s), fmt.Sprint(s); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	got := Shape(make(tensor.Shape, 1_000_000))
	if want := "(" + strings.Repeat("0, ", most) + "…) of rank 1000000"; got != want {
		t.Errorf("got %.300s, want %s", got, want)
	}
}

// TestScalarHint gives the hint for a scalar alone, and where one element is
// wanted.
func TestScalarHint(t *testing.T) {
	const hint = "; a backing of one element makes a scalar unless WithShape(1, 1) is given"
	for _, c := range []struct {
		got, want []int
		hint      string
	}{
		{nil, Ones(2), hint},
		{[]int{}, []int{1, 1}, hint},
		{nil, []int{1, 2}, ""},
		{nil, nil, ""},
		{[]int{1}, Ones(2), ""},
	} {
		if got := ScalarHint(c.got, c.want); got != c.hint {
			t.Errorf("%v for %v: %q, want %q", c.got, c.want, got, c.hint)
		}
	}
}
