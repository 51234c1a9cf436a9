package gradtest

import (
	"fmt"
	"testing"
)

// TestLayouts reads the values out of every layout, none of which is another one.
func TestLayouts(t *testing.T) {
	values := []float64{0, 1, 2, 3, 4, 5}
	seen := map[string]string{}
	for _, l := range Layouts {
		d := l.Make(values, 2, 3)
		for i, want := range values {
			if got, err := d.At(i/3, i%3); err != nil || got != want {
				t.Errorf("%s: at (%d, %d) is %v, %v; want %v", l.Name, i/3, i%3, got, err, want)
			}
		}
		memory := fmt.Sprint(d.Strides(), d.DataOrder())
		if other, taken := seen[memory]; taken {
			t.Errorf("%s and %s are one layout: %s", l.Name, other, memory)
		}
		seen[memory] = l.Name
	}
}
