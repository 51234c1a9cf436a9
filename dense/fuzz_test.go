package dense_test

import (
	"bytes"
	"math/rand"
	"testing"

	"gorgonia.org/gather/internal/cases"
)

// seed adds calls that are not all alike: none of the first choices, some of
// random ones, and runs of one choice. Those that fuzzing found are in testdata.
func seed(f *testing.F) {
	f.Add([]byte(nil))
	rng := rand.New(rand.NewSource(10))
	for _, n := range []int{5, 20, 60, 200} {
		for range 3 {
			random := make([]byte, n)
			rng.Read(random)
			f.Add(random)
		}
	}
	for _, b := range []byte{1, 2, 7, 255} {
		f.Add(bytes.Repeat([]byte{b}, 50))
	}
}

// fuzz makes a call of the fuzzer's bytes and checks it: values, memory around
// them and errors.
func fuzz(f *testing.F, op string, check func(s *source, op string) error) {
	seed(f)
	f.Fuzz(func(t *testing.T, made []byte) {
		if err := check(&source{cases.Source{Bytes: made}}, op); err != nil {
			t.Error(err)
		}
	})
}

func FuzzGather(f *testing.F)         { fuzz(f, "Gather", checkGather) }
func FuzzGatherElements(f *testing.F) { fuzz(f, "GatherElements", checkGather) }
func FuzzGatherND(f *testing.F)       { fuzz(f, "GatherND", checkGather) }

// FuzzAdjoints checks the adjoint of an operator that the first byte chooses.
func FuzzAdjoints(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, made []byte) {
		s := &source{cases.Source{Bytes: made}}
		if err := checkAdd(s, choice(s, operators)); err != nil {
			t.Error(err)
		}
	})
}
