package gather_test

import (
	"testing"

	"gorgonia.org/gather"
	gatherdense "gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/gradtest"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// FuzzGraph makes a call of the fuzzer's bytes, on plain tensors and in a graph,
// with some of the operands constants: the two must give the same values, or both
// an error, and an index out of range must be the same one.
func FuzzGraph(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 0, 2, 3, 4, 1, 2, 0, 1, 2, 3})
	f.Add([]byte{2, 1, 2, 2, 3, 2, 2, 1, 0, 1, 5, 0, 1, 0})
	f.Add([]byte{4, 1, 1, 3, 2, 2, 2, 1, 0, 1, 1, 4, 4, 2, 3, 1})
	f.Add([]byte{3, 6, 1, 2, 2, 2, 2, 2, 0, 1, 1, 0, 2, 1})
	f.Fuzz(func(t *testing.T, made []byte) {
		h := newHostile(made, nil)
		function, constants, axis := h.choose(6), h.choose(8), h.choose(5)-2
		data := h.numbers(h.dims(3)...)
		indices := h.indices(h.dims(3)...)
		var opts []gather.Option
		for range h.choose(3) {
			if name, o := options.draw(h); name != "WithReuse" {
				opts = append(opts, o.(gather.Option))
			}
		}
		operands := []*tensor.Dense{data, indices}
		if function > 2 {
			operands = append(operands, h.numbers(h.dims(4)...))
		}
		want, wantErr := onTensors(function, operands, axis, opts)
		got, err := inGraph(function, operands, axis, opts, constants)
		switch {
		case (err == nil) != (wantErr == nil):
			t.Fatalf("a graph gives the error %v, tensors %v", err, wantErr)
		case err != nil:
			bad, isIndex := gather.AsIndexError(err)
			wanted, wantIndex := gather.AsIndexError(wantErr)
			if isIndex != wantIndex || isIndex && (bad.Index != wanted.Index || bad.Axis != wanted.Axis || bad.Size != wanted.Size) {
				t.Fatalf("a graph gives the error %v, tensors %v", err, wantErr)
			}
		default:
			want, err := gradtest.Floats(want)
			ok(t, err)
			same(t, "values", got, want)
		}
	})
}

func onTensors(function int, in []*tensor.Dense, axis int, opts []gather.Option) (*tensor.Dense, error) {
	switch function {
	case 0:
		return gatherdense.Gather(in[0], in[1], axis, opts...)
	case 1:
		return gatherdense.GatherElements(in[0], in[1], axis, opts...)
	case 2:
		return gatherdense.GatherND(in[0], in[1], opts...)
	case 3:
		return gatherdense.ScatterElements(in[0], in[1], in[2], axis, opts...)
	case 4:
		return gatherdense.ScatterND(in[0], in[1], in[2], opts...)
	}
	return gatherdense.ScatterUpdate(in[0], in[1], in[2], axis, opts...)
}

// inGraph is onTensors in a graph, of which the bits of constants tell which
// operands are constants.
func inGraph(function int, operands []*tensor.Dense, axis int, opts []gather.Option, constants int) ([]float64, error) {
	g := G.NewGraph()
	in := make([]*G.Node, len(operands))
	for i, v := range operands {
		switch {
		case constants>>i&1 == 0:
			in[i] = input(g, string(rune('a'+i)), v)
		case i == 0:
			in[i] = G.NewConstant(v, G.In(g))
		default:
			in[i] = G.NewConstant(v)
		}
	}
	var out *G.Node
	var err error
	switch function {
	case 0:
		out, err = gather.Gather(in[0], in[1], axis, opts...)
	case 1:
		out, err = gather.GatherElements(in[0], in[1], axis, opts...)
	case 2:
		out, err = gather.GatherND(in[0], in[1], opts...)
	case 3:
		out, err = gather.ScatterElements(in[0], in[1], in[2], axis, opts...)
	case 4:
		out, err = gather.ScatterND(in[0], in[1], in[2], opts...)
	default:
		out, err = gather.ScatterUpdate(in[0], in[1], in[2], axis, opts...)
	}
	if err != nil {
		return nil, err
	}
	var value G.Value
	G.Read(out, &value)
	if err := runForward(gradtest.Tape, g); err != nil {
		return nil, err
	}
	return gradtest.Floats(value)
}

// dims draws up to some dims of 0 to 4.
func (h *hostile) dims(most int) []int {
	shape := make([]int, h.choose(most+1))
	for i := range shape {
		shape[i] = h.choose(5)
	}
	return shape
}

// numbers are a tensor of drawn numbers, row-major or not.
func (h *hostile) numbers(shape ...int) *tensor.Dense {
	n := offsets(shape...)
	for i := range n.Data {
		n.Data[i] = float64(h.choose(7)) - 2
	}
	if len(shape) == 2 && len(n.Data) > 0 && h.choose(2) == 0 {
		return tensor.New(tensor.WithShape(shape...), tensor.AsFortran(n.Data))
	}
	return dense(n.Data, shape...)
}

// indices are a tensor of drawn indices, most of them in range of something.
func (h *hostile) indices(shape ...int) *tensor.Dense {
	n := make([]int64, len(offsets(shape...).Data))
	for i := range n {
		n[i] = int64(h.choose(8)) - 3
	}
	if h.choose(2) == 0 {
		return dense(n, shape...)
	}
	narrowed := make([]int32, len(n))
	for i, v := range n {
		narrowed[i] = int32(v)
	}
	return dense(narrowed, shape...)
}

// TestFuzzGraphSeeds shows that calls which succeed are among those of FuzzGraph.
func TestFuzzGraphSeeds(t *testing.T) {
	succeeded := 0
	for seed := range int64(3000) {
		h := newHostile(nil, newRand(seed))
		operands := []*tensor.Dense{h.numbers(h.dims(3)...), h.indices(h.dims(3)...), h.numbers(h.dims(4)...)}
		if _, err := onTensors(h.choose(6), operands, h.choose(5)-2, nil); err == nil {
			succeeded++
		}
	}
	if succeeded < 100 {
		t.Errorf("%d of 3000 calls succeed", succeeded)
	}
}
