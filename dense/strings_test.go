package dense_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// TestStringsSurviveTheCollector keeps results of strings that nothing else
// refers to, through collections and memory pressure. Package tensor keeps
// elements as bytes, where the collector sees no strings: a result that it
// allocated would soon hold other data.
func TestStringsSurviveTheCollector(t *testing.T) {
	const n = 2000
	spell := func(i int) string { return fmt.Sprintf("string number %d on the heap", i) }
	for _, c := range []struct {
		name string
		run  func(data, indices *tensor.Dense) (*tensor.Dense, error)
	}{
		{"Gather", func(data, indices *tensor.Dense) (*tensor.Dense, error) { return dense.Gather(data, indices, 0) }},
		{"GatherElements", func(data, indices *tensor.Dense) (*tensor.Dense, error) {
			return dense.GatherElements(data, indices, 0)
		}},
		{"GatherND", func(data, indices *tensor.Dense) (*tensor.Dense, error) { return dense.GatherND(data, indices) }},
		{"Gather of a strided tensor", func(data, indices *tensor.Dense) (*tensor.Dense, error) {
			column, err := data.Slice(nil, tensor.S(0))
			must(err)
			return dense.Gather(column, indices, 0)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			get := func() *tensor.Dense {
				words, at := make([]string, 2*n), make([]int, n)
				for i := range n {
					words[2*i], words[2*i+1] = spell(i), ""
					at[i] = n - 1 - i
				}
				data := values(dims{n, 2}, words...)
				if c.name == "GatherElements" || c.name == "GatherND" {
					data = values(dims{n, 1}, every2nd(words)...)
				}
				out, err := c.run(data, values(dims{n, 1}, at...))
				must(err)
				return out
			}
			out := get()
			var pressure [][]byte
			for range 5 {
				runtime.GC()
				for range 20000 { // small blocks, to be put where the strings were
					pressure = append(pressure, []byte("something else on the heap"))
				}
			}
			runtime.GC()
			got := out.Data().([]string)
			step := len(got) / n
			for i := range n {
				if want := spell(n - 1 - i); got[i*step] != want {
					t.Fatalf("string %d of %d became %q, want %q", i, n, got[i*step], want)
				}
			}
			runtime.KeepAlive(pressure)
		})
	}
}

func every2nd(words []string) []string {
	var out []string
	for i := 0; i < len(words); i += 2 {
		out = append(out, words[i])
	}
	return out
}

// TestStringsAreCopied shows that a result does not change with its input.
func TestStringsAreCopied(t *testing.T) {
	words := []string{"a", "b", "c"}
	data := tensor.New(tensor.WithShape(3), tensor.WithBacking(words))
	got, err := dense.Gather(data, index(2, 3, -3), 0, zeroFill...)
	if err != nil {
		t.Fatal(err)
	}
	words[0], words[2] = "changed", "changed"
	if err := difference(packed[string](got), []string{"c", "", "a"}); err != nil {
		t.Error(err)
	}
}

// TestStringScalar gathers one string, and none.
func TestStringScalar(t *testing.T) {
	data := values(dims{2, 2}, "a", "b", "c", "d")
	got, err := dense.GatherND(data, index(1, 0))
	if err != nil || got.ScalarValue() != "c" {
		t.Errorf("got %v, %v, want c", got, err)
	}
	got, err = dense.Gather(data, none(0), 1)
	if err != nil || got.Shape().TotalSize() != 0 || got.Dtype() != tensor.String {
		t.Errorf("got shape %v, dtype %v, error %v, want no strings", got.Shape(), got.Dtype(), err)
	}
}

// TestStringsNotReused: the collector does not see strings in a given tensor.
func TestStringsNotReused(t *testing.T) {
	data := values(dims{2, 2}, "a", "b", "c", "d")
	dst := values(dims{2, 2}, "", "", "", "")
	for _, op := range operators {
		_, err := (&call{op: op}).run(data, values(dims{2, 1}, 0, 1), dense.WithReuse(dst))
		want := op + ": strings cannot be written to a given dst"
		if !errors.Is(err, dense.ErrDtype) || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
