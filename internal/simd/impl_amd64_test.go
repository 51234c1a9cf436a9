//go:build gc && !noasm

package simd

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
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

// TestInstructionSets shows that the assembly has no instructions but those of the sets that are asked for before it is
// installed. An operand in memory, where there was a register, may turn an instruction into one of AVX-512.
func TestInstructionSets(t *testing.T) {
	files, err := filepath.Glob("asm_*_amd64.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("no assembly: %v", err)
	}
	known := strings.Split("AVX AVX2 CMOV CPUID F16C FMA3 MMX+", " ")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			sets, found := strings.CutPrefix(strings.TrimSpace(line), "// Requires: ")
			if !found {
				continue
			}
			for _, set := range strings.Split(sets, ", ") {
				if !slices.Contains(known, set) {
					t.Errorf("%s: a function requires %s", file, set)
				}
			}
		}
	}
}

// TestHalvesInAssembly shows that where there is assembly the loops of 16-bit floats are
// not Go's.
func TestHalvesInAssembly(t *testing.T) {
	for _, i := range Implementations[1:] {
		for _, kind := range []num.Kind{num.Float16, num.BFloat16} {
			for r := num.Add; r <= num.Max; r++ {
				if fmt.Sprintf("%p", i.Combine[kind][r].Rows) == fmt.Sprintf("%p", Go.Combine[kind][r].Rows) {
					t.Errorf("%s: kind %d, %v: the loop over rows is Go's", i.Name, kind, r)
				}
			}
		}
	}
}
