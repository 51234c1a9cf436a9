package dense_test

import (
	"testing"

	"gorgonia.org/gather/internal/cases"
)

func FuzzScatterElements(f *testing.F) { fuzz(f, "ScatterElements", checkScatter) }
func FuzzScatterND(f *testing.F)       { fuzz(f, "ScatterND", checkScatter) }
func FuzzScatterUpdate(f *testing.F)   { fuzz(f, "ScatterUpdate", checkScatter) }

// FuzzGatherTree compares trees made of the fuzzer's bytes with the oracle.
func FuzzGatherTree(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, made []byte) {
		if err := checkTree(&source{cases.Source{Bytes: made}}); err != nil {
			t.Error(err)
		}
	})
}
