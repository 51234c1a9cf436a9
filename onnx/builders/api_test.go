package builders

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/internal/badinput"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Every builder takes nodes that it should not be given, in every version. It
// returns outputs or an error, and does not panic.
func TestBadArguments(t *testing.T) {
	for op, build := range builders {
		t.Run(op, func(t *testing.T) {
			for _, v := range versions[op] {
				n := onnx.Node{OpType: op, Opset: v.since, Attributes: map[string]any{}}
				for _, name := range v.attributes {
					n.Attributes[name] = map[string]any{"axis": int64(0), "to": int64(1), "axes": []int64{0}, "shape": []int64{-1}, "perm": []int64{0},
						"starts": []int64{0}, "ends": []int64{1}, "split": []int64{3}}[name]
				}
				for length := range 3 {
					badinput.Tuples(badinput.Nodes(G.NewGraph()), length, func(names []string, inputs []*G.Node) {
						what := fmt.Sprint(names)
						badinput.Try(t, what, func() {
							if out, err := build(n, inputs...); (out == nil) == (err == nil) {
								t.Errorf("%v%s: %v, %v", n, what, out, err)
							}
						})
					})
				}
			}
			for _, opset := range []int{-1, 0, 1 << 30} {
				badinput.Try(t, fmt.Sprint(opset), func() { _, _ = build(onnx.Node{Opset: opset}) })
			}
		})
	}
}

// An operator can be reached from its node, and given anything.
func TestOperatorBadArguments(t *testing.T) {
	g := G.NewGraph()
	x, y := given{tensor.Float32, []int{3}, nil}.node(g, "x"), given{tensor.Float32, []int{3}, nil}.node(g, "y")
	sum, err := Add(onnx.Node{Opset: 14}, x, y)
	if err != nil {
		t.Fatal(err)
	}
	op := sum[0].Op().(*operator)
	if s, err := op.InferShape(tensor.Shape{3}, tensor.Shape{4}); err == nil || !strings.Contains(err.Error(), "input 1 has shape (4), not (3)") {
		t.Errorf("InferShape of another shape: %v, %v", s, err)
	}
	for name, inputs := range map[string]G.Nodes{"without values": {x, y}, "too few": {x}, "nil": {nil, nil}} {
		if err := op.DoDiff(G.ExecutionContext{}, inputs, sum[0]); err == nil {
			t.Errorf("DoDiff, %s: no error", name)
		}
	}
	for length := range 3 {
		badinput.Tuples(badinput.Tensors(), length, func(names []string, in []tensor.Tensor) {
			what := fmt.Sprint(names)
			badinput.Try(t, what, func() {
				values := make([]G.Value, len(in))
				for i, v := range in {
					if v != nil {
						values[i] = v
					}
				}
				if _, err := op.Do(values...); (err == nil) != (what == "[a vector a vector]") {
					t.Errorf("%s: %v", what, err)
				}
			})
		})
	}
	badinput.Try(t, "SymDiff", func() {
		for _, nodes := range []G.Nodes{nil, {nil, nil}, {x, y}} {
			if _, err := op.SymDiff(nodes, nil, nil); err == nil {
				t.Error("no error of SymDiff")
			}
		}
	})
	badinput.Try(t, "DoDiff", func() {
		for _, nodes := range []G.Nodes{nil, {nil, nil}, {x, y}} {
			if err := op.DoDiff(G.ExecutionContext{}, nodes, nil); err == nil {
				t.Error("no error of DoDiff")
			}
			if err := op.DoDiff(G.ExecutionContext{}, nodes, sum[0]); err == nil {
				t.Error("no error of DoDiff without values")
			}
		}
	})
	if _, err := op.InferShape(); err == nil {
		t.Error("no error of InferShape")
	}
	if !slices.Equal(op.DiffWRT(2), []bool{true, true}) {
		t.Error("DiffWRT")
	}
}
