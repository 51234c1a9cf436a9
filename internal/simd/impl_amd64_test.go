//go:build gc && !noasm

package simd

import (
	"fmt"
	"reflect"
	"testing"

	"gorgonia.org/gather/internal/num"
)

// TestAssemblyIsInstalled shows that the loops whose calls are counted elsewhere
// are not Go's under the name of another implementation.
func TestAssemblyIsInstalled(t *testing.T) {
	for _, i := range Implementations[1:] {
		for name, loops := range map[string][2]any{
			"rows":           {i.CopyRows, Go.CopyRows},
			"setting rows":   {i.SetRows, Go.SetRows},
			"means, float32": {i.Means[num.Float32].Quotients, Go.Means[num.Float32].Quotients},
			"means, float64": {i.Means[num.Float64].Quotients, Go.Means[num.Float64].Quotients},
			"adding float32": {i.Combine[num.Float32][num.Add].Rows, Go.Combine[num.Float32][num.Add].Rows},
			"adding float64": {i.Combine[num.Float64][num.Add].Rows, Go.Combine[num.Float64][num.Add].Rows},
			"float32, far":   {i.Combine[num.Float32][num.Add].Offsets, Go.Combine[num.Float32][num.Add].Offsets},
			"float64, far":   {i.Combine[num.Float64][num.Add].Offsets, Go.Combine[num.Float64][num.Add].Offsets},
		} {
			if reflect.ValueOf(loops[0]).Pointer() == reflect.ValueOf(loops[1]).Pointer() {
				t.Errorf("%s: the loop for %s is Go's", i.Name, name)
			}
		}
	}
}

// TestHalvesInAssembly shows that where there is assembly, and a processor that
// converts float16, the loops are not Go's.
func TestHalvesInAssembly(t *testing.T) {
	for _, i := range Implementations[1:] {
		for _, kind := range []num.Kind{num.Float16, num.BFloat16} {
			for r := num.Add; r <= num.Max; r++ {
				own, plain := fmt.Sprintf("%p %p", i.Combine[kind][r].Rows, i.Combine[kind][r].Offsets), fmt.Sprintf("%p %p", Go.Combine[kind][r].Rows, Go.Combine[kind][r].Offsets)
				if converts := hasF16C(); (own != plain) != converts {
					t.Errorf("%s: kind %d, %v: the loops are other than Go's: %v, the processor converts: %v", i.Name, kind, r, own != plain, converts)
				}
			}
		}
	}
}
