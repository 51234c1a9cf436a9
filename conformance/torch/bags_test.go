package torch

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// bagVector is one call of embedding_bag, with what bags.py says of it.
type bagVector struct {
	Mode                    string
	Table, Indices, Offsets *array
	Weights                 *array
	Padding                 *int64
	Out, Cotangent, DTable  *array
	DWeights                *array
}

// apply builds the operator that stands for the call. The padding is an index out of
// range, which ZeroFill leaves out.
func (v *bagVector) apply(table, indices, offsets, weights *G.Node, opts ...gather.Option) (*G.Node, error) {
	opts = append(opts, gather.WithReduction(map[string]gather.Reduction{"sum": gather.Add, "mean": gather.Mean, "max": gather.Max}[v.Mode]))
	if v.Padding != nil {
		opts = append(opts, gather.WithOutOfRange(gather.ZeroFill))
	}
	if v.Offsets == nil {
		return gather.EmbeddingBagPacked(table, indices, weights, opts...)
	}
	return gather.EmbeddingBagOffsets(table, indices, offsets, weights, opts...)
}

// borders are the offsets as they are, as lengths, or with one more at the end: by turns.
func (v *bagVector) borders(turn int) (*tensor.Dense, []gather.Option) {
	offsets, n := v.Offsets.integers(), int64(v.Indices.Shape[0])
	behind := append(append([]int64(nil), offsets...), n)
	switch turn % 3 {
	case 1:
		for b := range offsets {
			offsets[b] = behind[b+1] - behind[b]
		}
		return tensor.New(tensor.WithShape(len(offsets)), tensor.WithBacking(offsets)), []gather.Option{gather.WithLengths()}
	case 2:
		return tensor.New(tensor.WithShape(len(behind)), tensor.WithBacking(behind)), []gather.Option{gather.WithLastOffset()}
	}
	return v.Offsets.dense(true), nil
}

// run computes the call and its gradients, on LispMachine or with Grad on
// TapeMachine.
func (v *bagVector) run(turn int, lisp bool) ([]G.Value, error) {
	g := G.NewGraph()
	input := func(d *tensor.Dense, name string) *G.Node {
		return G.NewTensor(g, d.Dtype(), d.Dims(), G.WithShape(d.Shape()...), G.WithName(name), G.WithValue(d))
	}
	table, cotangent := input(v.Table.dense(false), "table"), input(v.Cotangent.dense(false), "cotangent")
	picked := v.Indices.integers()
	for i, id := range picked {
		if v.Padding != nil && id == *v.Padding {
			picked[i] = int64(v.Table.Shape[0])
		}
	}
	indices := input(tensor.New(tensor.WithShape(v.Indices.Shape...), tensor.WithBacking(picked)), "indices")
	wrt := G.Nodes{table}
	var offsets, weights *G.Node
	var opts []gather.Option
	if v.Offsets != nil {
		var d *tensor.Dense
		d, opts = v.borders(turn)
		offsets = input(d, "offsets")
	}
	if v.Weights != nil {
		weights = input(v.Weights.dense(false), "weights")
		wrt = append(wrt, weights)
	}
	out, err := v.apply(table, indices, offsets, weights, opts...)
	if err != nil {
		return nil, err
	}
	cost, err := G.Sum(G.Must(G.HadamardProd(out, cotangent)))
	if err != nil {
		return nil, err
	}
	values := make([]G.Value, len(wrt)+1)
	G.Read(out, &values[0])
	if lisp {
		m := G.NewLispMachine(g)
		defer m.Close()
		if err := m.RunAll(); err != nil {
			return nil, errors.Wrap(err, "LispMachine")
		}
		for i, n := range wrt {
			if values[i+1], err = n.Grad(); err != nil {
				return nil, err
			}
		}
		return values, nil
	}
	gradients, err := G.Grad(cost, wrt...)
	if err != nil {
		return nil, err
	}
	for i, n := range gradients {
		G.Read(n, &values[i+1])
	}
	m := G.NewTapeMachine(g)
	defer m.Close()
	return values, errors.Wrap(m.RunAll(), "TapeMachine")
}

// TestEmbeddingBag compares bags and their gradients with PyTorch's, on both
// machines, with offsets, lengths, and a last offset by turns.
func TestEmbeddingBag(t *testing.T) {
	_, vectors := read[bagVector](t, "bags.jsonl.gz")
	require.GreaterOrEqual(t, len(vectors), 900)
	for i, v := range vectors {
		wants := []*array{v.Out, v.DTable}
		if v.Weights != nil {
			wants = append(wants, v.DWeights)
		}
		for _, lisp := range []bool{false, true} {
			name := fmt.Sprintf("line %d: %s, LispMachine %v", i+2, v.Mode, lisp)
			got, err := v.run(i, lisp)
			require.NoError(t, err, name)
			for k, want := range wants {
				numbers := got[k].(*tensor.Dense).Float64s()
				require.Len(t, numbers, len(want.floats()), name)
				for j, x := range want.floats() {
					if !near(numbers[j], x) {
						t.Fatalf("%s: value %d of %s is %v, PyTorch says %v", name, j, []string{"out", "dtable", "dweights"}[k], numbers[j], x)
					}
				}
			}
		}
		if i%200 == 0 {
			runtime.GC() // each machine holds its graph until the collector finds it
		}
	}
}
